import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StackConfig } from '@survey/local/service-environments.ts';
import { surveyDatabase } from '@survey/local/database.ts';
import { loadSecrets } from '@survey/local/secrets.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { toolOf } from '@survey/process/tool.ts';
import { startFaultyNats, startFaultyPostgres, startFaultyRedis, type FaultyStore } from './faulty-store.ts';

// TEST_LOG=info prints the logs of the services.
const LOG_LEVEL = process.env['TEST_LOG'] ?? 'silent';

/** All stores as servers that can be killed, with the schema in PostgreSQL. */
export interface FaultyStores extends AsyncDisposable {
  readonly postgres: FaultyStore;
  readonly nats: FaultyStore;
  readonly redis: FaultyStore;
  // Folder for mails, as .eml files.
  readonly mailDir: string;
  // Connections of the superuser.
  readonly db: Pool;
  // Configuration of the services' environments, without listen addresses.
  readonly around: Omit<StackConfig, 'listen'>;
}

export interface FaultyStoresOptions {
  // Folder of the stores, empty or missing; the caller deletes it.
  readonly folder: string;
  // Data folders of PostgreSQL and NATS; default: below the folder of the stores.
  readonly postgresFolder?: string | undefined;
  readonly natsFolder?: string | undefined;
  // PostgreSQL settings; default: those for a disk that never fails.
  readonly postgresSettings?: Readonly<Record<string, string>> | undefined;
  // Stores to use instead of own ones; the caller stops them.
  readonly given?: Partial<Pick<FaultyStores, 'postgres' | 'nats' | 'redis'>> | undefined;
  // Migrates the database; default: to the schema of this checkout.
  readonly migrateTo?: typeof migrate;
  // Applied to PostgreSQL before any client connects.
  readonly arrange?: (postgres: FaultyStore) => Promise<void>;
}

export async function startFaultyStores(options: FaultyStoresOptions): Promise<FaultyStores> {
  const { folder, postgresFolder = folder, natsFolder = folder, postgresSettings, given = {}, migrateTo = migrate } = options;
  await using starting = new AsyncDisposableStack();
  const mailDir = join(folder, 'mail');
  await mkdir(mailDir, { recursive: true });
  const postgres = given.postgres ?? starting.use(await startFaultyPostgres(postgresFolder, postgresSettings));
  await options.arrange?.(postgres);
  const nats = given.nats ?? starting.use(await startFaultyNats(natsFolder));
  const redis = given.redis ?? starting.use(await startFaultyRedis(folder));
  const { rolePasswords } = await loadSecrets(join(folder, 'secrets.json'));
  const databaseUrl = await surveyDatabase(postgres.url);
  await migrateTo({ databaseUrl, rolePasswords });
  const tool = toolOf('faults');
  starting.defer(() => tool.resources.disposeAsync());
  const db = openDatabase({ url: databaseUrl, name: 'faults' }, tool);
  const mail = { MAIL_DIR: mailDir };
  const around = {
    databaseUrl,
    rolePasswords,
    natsUrl: nats.url,
    redisUrl: redis.url,
    mail,
    logLevel: LOG_LEVEL,
  };
  const running = starting.move();
  return { postgres, nats, redis, mailDir, db, around, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
