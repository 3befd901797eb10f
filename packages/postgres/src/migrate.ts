import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runner, type MigrationBuilder } from 'node-pg-migrate';
import { Client } from 'pg';
import { LOCK_NOT_AVAILABLE, sqlState } from './database-error.ts';
import { distributeTables } from './citus/distribute.ts';
import { MIGRATIONS_FOLDER } from './schema-compatibility.ts';

// One role per service; the migrations grant what it may read and write.
export const ROLES = [
  'survey_gateway',
  'survey_export',
  'survey_imports',
  'survey_scoring',
  'survey_text',
  'survey_admin',
] as const;

export type Role = (typeof ROLES)[number];

interface MigrateOptions {
  // URL for the owner of the tables: a role that may create roles and schemas.
  databaseUrl: string;
  // Passwords to set; a role without one keeps its password.
  rolePasswords?: Partial<Record<Role, string>>;
  // Distributes the tables over the nodes of a Citus cluster.
  distribute?: boolean;
  // Whether no service runs, so that lists can have validators at once.
  isAlone?: boolean;
  log?: (message: string) => void;
}

// A statement that waits for a lock blocks all later users of the table, so it times out soon and
// is retried.
const LOCK_TIMEOUT_MS = 500;
const RETRY_MS = 3_000;
export const MAX_LOCK_WAIT_MS = 30 * 60_000;

/**
 * Migrates the database to this version's schema: forward only, idempotent, safe to run
 * concurrently (advisory lock). Waits up to half an hour for locked tables, such as during a long
 * import, without blocking readers.
 */
export async function migrate({
  databaseUrl,
  rolePasswords = {},
  distribute = false,
  isAlone = false,
  log = () => {},
}: MigrateOptions): Promise<void> {
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
  await withOwner(databaseUrl, async (client) => {
    if (distribute) await distributeTables(client);
    await client.query(PUBLIC_PRIVILEGES);
    const { rowCount: accounts } = await client.query('select from admin.account limit 1');
    await client.query(RENEW_RENDERING, [randomUUID(), isAlone || accounts === 0 ? '0' : ROLLOUT]);
    await setPasswords(client, rolePasswords);
  });
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

// Revokes default privileges from everybody. Only survey_imports needs temporary tables, only some
// roles need advisory locks, and nobody needs large objects. If the owner may not change a
// privilege, PostgreSQL warns; for functions that the owner may not even call (lo_import), it would
// fail, so these are left out. Not a migration, because a restored database has the defaults again.
const PUBLIC_PRIVILEGES = `
do $$
declare
  callable regprocedure;
begin
  perform pg_advisory_xact_lock(hashtextextended('survey.public_privileges', 0));
  execute format('revoke temporary on database %I from public', current_database());
  execute format('grant temporary on database %I to survey_imports', current_database());
  for callable in
    select oid from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^(pg_(try_)?advisory_|lo_|loread$|lowrite$)'
      and has_function_privilege(oid, 'execute')
  loop
    execute format('grant execute on function %s to current_user', callable);
    execute format('revoke execute on function %s from public', callable);
  end loop;
  grant execute on function pg_try_advisory_xact_lock(bigint) to survey_admin, survey_imports, survey_text;
  grant execute on function pg_advisory_xact_lock(bigint) to survey_export, survey_imports;
  grant execute on function pg_advisory_xact_lock_shared(bigint) to survey_export, survey_imports, survey_scoring, survey_text;
end $$`;

// Pods of an earlier release may change rows without changing versions until the rollout has ended.
// A database without accounts has none.
const ROLLOUT = '1 hour';
const RENEW_RENDERING = 'update admin.list_rendering set id = $1, validators_from = now() + $2::interval';

// `create index concurrently` and the like cannot run in a transaction: each is in a file of its
// own. An attempt that was interrupted, or waited too long for a lock, leaves an invalid index.
const loadSql = (paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const sql = await readFile(path, 'utf8');
      const up = (pgm: MigrationBuilder): void => {
        if (/^(create|drop|reindex) .*\bconcurrently\b/im.test(sql)) pgm.noTransaction();
        const [, index, schema] = /^create (?:unique )?index concurrently (\w+) on (\w+)\./im.exec(sql) ?? [];
        if (index !== undefined) pgm.sql(`drop index concurrently if exists ${schema}.${index}`);
        pgm.sql(sql);
      };
      return { id: path, filePaths: [path], actions: { up, down: false as const } };
    }),
  );

async function setPasswords(client: Client, passwords: Partial<Record<Role, string>>): Promise<void> {
  for (const [role, password] of Object.entries(passwords)) {
    await client.query(`alter role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`);
  }
}

async function withOwner<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
