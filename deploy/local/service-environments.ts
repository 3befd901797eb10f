import type { Role } from '@survey/postgres/migrate.ts';

export const SERVICES = [
  'gateway',
  'export',
  'import-reconciler',
  'scoring-anonymity',
  'text-analysis',
  'account-admin',
] as const;
export type ServiceName = (typeof SERVICES)[number];

const ROLE: Record<ServiceName, Role> = {
  gateway: 'survey_gateway',
  export: 'survey_export',
  'import-reconciler': 'survey_imports',
  'scoring-anonymity': 'survey_scoring',
  'text-analysis': 'survey_text',
  'account-admin': 'survey_admin',
};

/**
 * Node flags for the young generation. An import produces short-lived garbage, so small semi-spaces
 * keep the process below 300 MB; the gateway copies pages and is faster with large ones. With a
 * small heap and the size that V8 chooses, account-admin used six times the processor time.
 */
export const NODE_FLAGS: Record<ServiceName, readonly string[]> = {
  gateway: ['--max-semi-space-size=32'],
  export: ['--max-semi-space-size=32'],
  'import-reconciler': ['--max-semi-space-size=8'],
  'scoring-anonymity': ['--max-semi-space-size=8'],
  'text-analysis': ['--max-semi-space-size=8'],
  'account-admin': ['--max-semi-space-size=8'],
};

// Services whose reads a replica may serve.
const READS_REPLICA: ReadonlySet<ServiceName> = new Set(['export', 'scoring-anonymity']);

// Upstreams of each service.
const UPSTREAMS: Record<ServiceName, readonly ServiceName[]> = {
  gateway: ['export', 'import-reconciler', 'scoring-anonymity', 'text-analysis'],
  export: [],
  'import-reconciler': [],
  'scoring-anonymity': [],
  'text-analysis': ['scoring-anonymity'],
  'account-admin': ['import-reconciler', 'text-analysis'],
};

export interface Listen {
  // host:port; HTTP for the gateway, gRPC for all others.
  readonly serve: string;
  // host:port of /livez, /readyz, /startupz and /metrics.
  readonly probe: string;
}

export interface StackConfig {
  // URL of the database with our schema; user and password are replaced by each service's own.
  readonly databaseUrl: string;
  // URL of the same database on a replica.
  readonly replicaUrl?: string | undefined;
  readonly rolePasswords: Readonly<Record<Role, string>>;
  readonly natsUrl: string;
  // Bus passwords; each service is a user of its own.
  readonly busPasswords?: Readonly<Record<ServiceName, string>>;
  readonly redisUrl: string;
  // Where mails go, a mail server or files in a folder, and what their links begin with.
  readonly mail: ({ readonly SMTP_URL: string } | { readonly MAIL_DIR: string }) & { readonly CONSOLE_URL?: string };
  // NODE_OPTIONS of a service; default: those of this process.
  readonly nodeOptions?: (service: ServiceName) => string;
  // Set where the masking model is missing.
  readonly masker?: 'rules';
  readonly logLevel: string;
  readonly listen: Readonly<Record<ServiceName, Listen>>;
}

/**
 * Returns the environment of each service: listen addresses, upstreams and its own database role.
 */
export function serviceEnvironments(config: StackConfig): Record<ServiceName, Record<string, string>> {
  return forEachService((service) => serviceEnvironment(service, config));
}

/** Returns a record with one entry per service. */
export function forEachService<T>(make: (service: ServiceName) => T): Record<ServiceName, T> {
  return {
    gateway: make('gateway'),
    export: make('export'),
    'import-reconciler': make('import-reconciler'),
    'scoring-anonymity': make('scoring-anonymity'),
    'text-analysis': make('text-analysis'),
    'account-admin': make('account-admin'),
  };
}

function serviceEnvironment(service: ServiceName, around: StackConfig): Record<string, string> {
  const role = ROLE[service];
  const replicaUrl = READS_REPLICA.has(service) ? around.replicaUrl : undefined;
  const { serve, probe } = around.listen[service];
  return {
    DATABASE_URL: roleUrl(around.databaseUrl, role, around.rolePasswords[role]),
    ...(replicaUrl !== undefined && { DATABASE_REPLICA_URL: roleUrl(replicaUrl, role, around.rolePasswords[role]) }),
    NATS_URL: busUrl(around, service),
    PROBE_LISTEN: probe,
    LOG_LEVEL: around.logLevel,
    ...(around.nodeOptions && { NODE_OPTIONS: around.nodeOptions(service) }),
    ...(service === 'gateway' ? { HTTP_LISTEN: serve, REDIS_URL: around.redisUrl } : { GRPC_LISTEN: serve }),
    ...(service === 'import-reconciler' ? around.mail : {}),
    ...(service === 'account-admin' ? { DISCLOSURE_GUARD_DEFAULT: 'off' } : {}),
    ...(service === 'text-analysis' && around.masker !== undefined ? { MASKER: around.masker } : {}),
    ...Object.fromEntries(UPSTREAMS[service].map((called) => [addressVariable(called), around.listen[called].serve])),
  };
}

// Credentials for all servers precede the first one.
function busUrl({ natsUrl, busPasswords }: StackConfig, service: ServiceName): string {
  return busPasswords === undefined ? natsUrl : natsUrl.replace('://', `://${service}:${busPasswords[service]}@`);
}

/** Returns the variable that holds a service's address, such as IMPORT_RECONCILER_ADDRESS. */
export function addressVariable(service: ServiceName): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;
}

/** Returns the URL of the same database for another role. */
export function roleUrl(databaseUrl: string, role: Role, password: string): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = encodeURIComponent(password);
  return url.href;
}
