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
 * How each service's Node treats young memory. An import makes much garbage and keeps none of it:
 * small semi-spaces hold the process below 300 MB; the gateway copies pages and is faster with
 * large ones.
 */
export const NODE_FLAGS: Record<ServiceName, readonly string[]> = {
  gateway: ['--max-semi-space-size=32'],
  export: ['--max-semi-space-size=32'],
  'import-reconciler': ['--max-semi-space-size=8'],
  'scoring-anonymity': [],
  'text-analysis': ['--max-semi-space-size=8'],
  'account-admin': [],
};

// Whose reads a replica may serve.
const READS_REPLICA: ReadonlySet<ServiceName> = new Set(['export', 'scoring-anonymity']);

// Who calls whom.
const UPSTREAMS: Record<ServiceName, readonly ServiceName[]> = {
  gateway: ['export', 'import-reconciler', 'scoring-anonymity', 'text-analysis'],
  export: [],
  'import-reconciler': [],
  'scoring-anonymity': [],
  'text-analysis': ['scoring-anonymity'],
  'account-admin': ['import-reconciler', 'text-analysis'],
};

export interface Listen {
  // host:port, of HTTP for the gateway, of gRPC for all others.
  readonly serve: string;
  // host:port of /livez, /readyz, /startupz and /metrics.
  readonly probe: string;
}

export interface StackConfig {
  // Of the database with our schema; user and password are replaced by each service's own.
  readonly databaseUrl: string;
  // Of the same database on a replica.
  readonly replicaUrl?: string | undefined;
  readonly rolePasswords: Readonly<Record<Role, string>>;
  readonly natsUrl: string;
  // Where each service is a user of the bus.
  readonly busPasswords?: Readonly<Record<ServiceName, string>>;
  readonly redisUrl: string;
  // Shared by all gateways.
  readonly apiKeyCacheSecret: string;
  // Where the summaries for administrators go: a mail server, or files in a folder.
  readonly mail: { readonly SMTP_URL: string } | { readonly MAIL_DIR: string };
  readonly logLevel: string;
  readonly listen: Readonly<Record<ServiceName, Listen>>;
}

/**
 * The environment of each service: where it listens, whom it calls, and its own role at the
 * database.
 */
export function serviceEnvironments(surroundings: StackConfig): Record<ServiceName, Record<string, string>> {
  return forEachService((service) => serviceEnvironment(service, surroundings));
}

/** A record with an entry for each service. */
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
    ...(service === 'gateway' ? gatewayEnvironment(around, serve) : { GRPC_LISTEN: serve }),
    ...(service === 'import-reconciler' ? around.mail : {}),
    ...Object.fromEntries(UPSTREAMS[service].map((called) => [addressVariable(called), around.listen[called].serve])),
  };
}

function gatewayEnvironment({ redisUrl, apiKeyCacheSecret }: StackConfig, serve: string): Record<string, string> {
  return { HTTP_LISTEN: serve, REDIS_URL: redisUrl, API_KEY_CACHE_SECRET: apiKeyCacheSecret };
}

// A user for all servers stands before the first of them.
function busUrl({ natsUrl, busPasswords }: StackConfig, service: ServiceName): string {
  return busPasswords === undefined ? natsUrl : natsUrl.replace('://', `://${service}:${busPasswords[service]}@`);
}

/** The variable that tells others where a service serves, such as IMPORT_RECONCILER_ADDRESS. */
export function addressVariable(service: ServiceName): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;
}

/** The same database, seen as another role. */
export function roleUrl(databaseUrl: string, role: Role, password: string): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = encodeURIComponent(password);
  return url.href;
}
