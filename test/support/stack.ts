import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { environment as accountAdmin } from '@survey/account-admin/config.ts';
import { startAccountAdmin } from '@survey/account-admin/service.ts';
import { environment as exporting } from '@survey/export/config.ts';
import { startExport } from '@survey/export/service.ts';
import { environment as gateway } from '@survey/gateway/config.ts';
import { startGateway } from '@survey/gateway/service.ts';
import { environment as importReconciler } from '@survey/import-reconciler/config.ts';
import { startImportReconciler } from '@survey/import-reconciler/service.ts';
import { provision } from '@survey/bus/provision.ts';
import {
  serviceEnvironments,
  SERVICES,
  type Listen,
  type ServiceName,
  type StackConfig,
} from '@survey/local/service-environments.ts';
import { makeBusPasswords } from '@survey/local/secrets.ts';
import { readEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import type { Service } from '@survey/process/service.ts';
import { environment as scoringAnonymity } from '@survey/scoring-anonymity/config.ts';
import { startScoringAnonymity } from '@survey/scoring-anonymity/service.ts';
import { environment as textAnalysis } from '@survey/text-analysis/config.ts';
import { startTextAnalysis } from '@survey/text-analysis/service.ts';
import { createDatabase, type Database, type PostgresServer } from './postgres-server.ts';
import { testStores, type TestStore } from './stores.ts';

export type Services = Readonly<Record<ServiceName, Service>>;

/** All six services with their own stores; stacks share only the PostgreSQL server. */
export interface Stack {
  readonly services: Services;
  readonly databaseName: string;
  // Superuser URL, not bound by row-level security: for setup that no endpoint supports.
  readonly databaseUrl: string;
  // Database URL of the services, when a proxy is in between.
  readonly poolerUrl: string | undefined;
  readonly natsUrl: string;
  readonly redisUrl: string;
  // Folder of mails to admins, as .eml files.
  readonly mailDir: string;
  // Stops everything; keeps the database of a failed test.
  stop(options?: { keepDatabase: boolean }): Promise<void>;
}

/** Environment of a service besides the addresses. */
export type MoreSettings = Partial<Record<ServiceName, Readonly<Record<string, string>>>>;

// No rate limit and no masking model by default; tests of these set their own.
const DEFAULTS: MoreSettings = {
  gateway: { RATE_LIMIT: '1000000', MAX_EVENT_LOOP_DELAY_MS: '10000' },
  'text-analysis': { MASKER: 'rules' },
};

/**
 * Starts a proxy between the services and their database, such as a PgBouncer; its URL replaces the
 * database's.
 */
export type OpenPooler = (database: Pick<Database, 'name' | 'url'>, server: PostgresServer) => Promise<TestStore>;

/** Starts a stack in this process. When that fails, stops whatever was started. */
export async function startStack(server: PostgresServer, more: MoreSettings = {}, openPooler?: OpenPooler): Promise<Stack> {
  const database = await createDatabase(server);
  await using starting = new AsyncDisposableStack();
  const pooler = await openPooler?.(database, server);
  starting.defer(async () => pooler?.stop());
  const stores = await testStores(server.folder);
  const busPasswords = makeBusPasswords();
  const [nats, redis] = await Promise.all([stores.startNats(database.name, busPasswords), stores.startRedis(database.name)]);
  starting.defer(() => redis.stop());
  starting.defer(() => nats.stop());
  await provision({ natsUrl: nats.url });
  const mailDir = join(server.folder, database.name, 'mail');
  await mkdir(mailDir, { recursive: true });
  const services = await startAll(starting, more, mailDir, {
    databaseUrl: pooler?.url ?? database.url,
    replicaUrl: database.replicaUrl,
    rolePasswords: server.rolePasswords,
    natsUrl: nats.url,
    busPasswords,
    redisUrl: redis.url,
    mail: { MAIL_DIR: mailDir },
    // TEST_LOG=debug shows the logs of the services.
    logLevel: process.env['TEST_LOG'] ?? 'silent',
  });
  const running = starting.move();
  return {
    services,
    databaseName: database.name,
    poolerUrl: pooler?.url,
    databaseUrl: database.url,
    natsUrl: nats.url,
    redisUrl: redis.url,
    mailDir,
    stop: async ({ keepDatabase } = { keepDatabase: false }) => {
      await running.disposeAsync();
      if (!keepDatabase) await database.drop();
    },
  };
}

// TEST_IMAGE: runs containers of that image. Imported dynamically, since every test file loads this
// module.
async function startAll(
  resources: AsyncDisposableStack,
  more: MoreSettings,
  mailDir: string,
  around: Omit<StackConfig, 'listen'>,
): Promise<Services> {
  const image = process.env['TEST_IMAGE'];
  if (image === undefined) return startServices(resources, more, around);
  const { startInImage } = await import('../image/stack-services.ts');
  const settings = Object.fromEntries(SERVICES.map((name) => [name, { ...DEFAULTS[name], ...more[name] }]));
  return startInImage(resources, settings, { ...around, image, mailDir });
}

// Callees first: each service needs the addresses of its upstreams.
async function startServices(
  resources: AsyncDisposableStack,
  more: MoreSettings,
  around: Omit<StackConfig, 'listen'>,
): Promise<Services> {
  const listen = anyPorts();
  const start = async <S extends Shape>(name: ServiceName, shape: S, startService: Start<S>): Promise<Service> => {
    const environment = { ...serviceEnvironments({ ...around, listen })[name], ...DEFAULTS[name], ...more[name] };
    const settings = readEnvironment(shape, environment);
    const service = resources.use(await startService(settings));
    listen[name] = { serve: service.address, probe: service.probeAddress };
    return service;
  };
  return {
    export: await start('export', exporting, startExport),
    'import-reconciler': await start('import-reconciler', importReconciler, startImportReconciler),
    'scoring-anonymity': await start('scoring-anonymity', scoringAnonymity, startScoringAnonymity),
    'text-analysis': await start('text-analysis', textAnalysis, startTextAnalysis),
    'account-admin': await start('account-admin', accountAdmin, startAccountAdmin),
    gateway: await start('gateway', gateway, startGateway),
  };
}

type Shape = Parameters<typeof readEnvironment>[0];
type Start<S extends Shape> = (settings: SettingsOf<S>) => Promise<Service>;

function anyPorts(): Record<ServiceName, Listen> {
  const any = { serve: '127.0.0.1:0', probe: '127.0.0.1:0' };
  // One entry per service; ServiceName lists the same names.
  return Object.fromEntries(SERVICES.map((name) => [name, any])) as Record<ServiceName, Listen>;
}
