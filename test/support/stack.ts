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
import { makeBusPasswords, password } from '@survey/local/secrets.ts';
import { readEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import type { Service } from '@survey/process/service.ts';
import { environment as scoringAnonymity } from '@survey/scoring-anonymity/config.ts';
import { startScoringAnonymity } from '@survey/scoring-anonymity/service.ts';
import { environment as textAnalysis } from '@survey/text-analysis/config.ts';
import { startTextAnalysis } from '@survey/text-analysis/service.ts';
import { createDatabase, type Database, type PostgresServer } from './postgres-server.ts';
import { testStores, type TestStore } from './stores.ts';

export type Services = Readonly<Record<ServiceName, Service>>;

/** All six services with stores of their own: nothing is shared with another stack but the PostgreSQL server. */
export interface Stack {
  readonly services: Services;
  readonly databaseName: string;
  // The superuser's, whom row-level security does not bind: for arranging what no endpoint can.
  readonly databaseUrl: string;
  // Where the services find it, when something stands between.
  readonly poolerUrl: string | undefined;
  readonly natsUrl: string;
  readonly redisUrl: string;
  // Where mails to admins are written, as .eml files.
  readonly mailDir: string;
  // Stops everything; the database stays when it is evidence.
  stop(options?: { keepDatabase: boolean }): Promise<void>;
}

/** What the environment of a service says beside where everything is. */
export type MoreSettings = Partial<Record<ServiceName, Readonly<Record<string, string>>>>;

// A test asks for as much as it likes; that there are limits is tested where they are set.
const NO_LIMITS: MoreSettings = { gateway: { RATE_LIMIT: '1000000', MAX_EVENT_LOOP_DELAY_MS: '10000' } };

/** Puts something between the services and their database, such as a PgBouncer: its URL takes the place of the database's. */
export type OpenPooler = (database: Database, server: PostgresServer) => Promise<TestStore>;

/** Starts a stack in this process. When that fails, what was started is stopped again. */
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
    apiKeyCacheSecret: password(),
    mail: { MAIL_DIR: mailDir },
    // TEST_LOG=debug shows what the services log.
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

// TEST_IMAGE: containers of that image. Each test file loads this: what only they need is not loaded otherwise.
async function startAll(
  resources: AsyncDisposableStack,
  more: MoreSettings,
  mailDir: string,
  around: Omit<StackConfig, 'listen'>,
): Promise<Services> {
  const image = process.env['TEST_IMAGE'];
  if (image === undefined) return startServices(resources, more, around);
  const { startInImage } = await import('../image/stack-services.ts');
  const limits = Object.fromEntries(SERVICES.map((name) => [name, { ...NO_LIMITS[name], ...more[name] }]));
  return startInImage(resources, limits, { ...around, image, mailDir });
}

// Callees first: each service is told the addresses of those that already serve.
async function startServices(
  resources: AsyncDisposableStack,
  more: MoreSettings,
  around: Omit<StackConfig, 'listen'>,
): Promise<Services> {
  const listen = anyPorts();
  const start = async <S extends Shape>(name: ServiceName, shape: S, startService: Start<S>): Promise<Service> => {
    const environment = { ...serviceEnvironments({ ...around, listen })[name], ...NO_LIMITS[name], ...more[name] };
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
  // One entry for each of SERVICES, which is what ServiceName lists.
  return Object.fromEntries(SERVICES.map((name) => [name, any])) as Record<ServiceName, Listen>;
}
