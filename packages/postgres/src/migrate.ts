import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runner, type MigrationBuilder } from 'node-pg-migrate';
import { Client } from 'pg';
import { sqlState } from './database.ts';
import { MIGRATIONS_FOLDER, migrationNames } from './migrations.ts';

// One role for each service: what it may read and write is granted in the migrations.
export const ROLES = [
  'survey_gateway',
  'survey_export',
  'survey_imports',
  'survey_scoring',
  'survey_text',
  'survey_admin',
] as const;

export type Role = (typeof ROLES)[number];

export interface MigrateOptions {
  // Of the owner of the tables: a role that may create roles and schemas.
  databaseUrl: string;
  // Set as given; a role without one keeps the password it has.
  rolePasswords?: Partial<Record<Role, string>>;
  log?: (message: string) => void;
}

// A statement that waits for a lock holds up everything that asks for the table after it: it gives up soon, and is repeated.
const LOCK_TIMEOUT_MS = 2_000;
const RETRY_MS = 3_000;
const MAX_LOCK_WAIT_MS = 30 * 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Brings the database to this version's schema: forward only, safe to run twice and side by side (advisory lock). Waits up to half an hour for
 * tables that others use, such as a long import, without holding up their readers.
 */
export async function migrate({ databaseUrl, rolePasswords = {}, log = () => {} }: MigrateOptions): Promise<void> {
  const deadline = performance.now() + MAX_LOCK_WAIT_MS;
  for (;;) {
    try {
      for (const { name } of await applyMissing(databaseUrl)) log(`migrated ${name}`);
      break;
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || performance.now() > deadline) throw error;
      log('a table is in use: the migration is repeated');
      await sleep(RETRY_MS);
    }
  }
  await setPasswords(databaseUrl, rolePasswords);
}

function applyMissing(databaseUrl: string) {
  return runner({
    databaseUrl: { connectionString: databaseUrl, lock_timeout: LOCK_TIMEOUT_MS },
    dir: MIGRATIONS_FOLDER,
    direction: 'up',
    migrationsTable: 'migration',
    checkOrder: true,
    singleTransaction: false,
    advisoryLockMode: 'wait',
    migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadSql }],
    log: () => {},
  });
}

// `create index concurrently` and the like cannot run in a transaction: such a statement stands in a file of its own.
const loadSql = (paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const sql = await readFile(path, 'utf8');
      const up = (pgm: MigrationBuilder): void => {
        if (/^(create|drop|reindex) .*\bconcurrently\b/im.test(sql)) pgm.noTransaction();
        pgm.sql(sql);
      };
      return { id: path, filePaths: [path], actions: { up, down: false as const } };
    }),
  );

/** Names of this version's migrations that the database does not have. `databaseUrl` is the owner's. */
export async function missingMigrations(databaseUrl: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select name from migration');
    const applied = new Set(rows.map(({ name }) => name));
    return (await migrationNames()).filter((name) => !applied.has(name));
  } finally {
    await client.end();
  }
}

async function setPasswords(databaseUrl: string, passwords: Partial<Record<Role, string>>): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const [role, password] of Object.entries(passwords)) {
      await client.query(`alter role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`);
    }
  } finally {
    await client.end();
  }
}
