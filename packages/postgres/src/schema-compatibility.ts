import { readdir } from 'node:fs/promises';
import { parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { causeOf } from '@survey/process/cause-of.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { DatabaseUnavailableError, sqlState } from './database-error.ts';
import { inTransaction, type Pool, type Queryable } from './database.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));

/** Returns the names of this version's migrations in order, such as 0001_accounts. */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(MIGRATIONS_FOLDER);
  return files.map((file) => parse(file).name).toSorted();
}

/** The database has a newer schema that this version must not use. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
}

interface SchemaFound {
  // Number of the newest migration in the database.
  readonly migrated: number;
  // Minimum migration number that code must know.
  readonly oldestCode: number;
}

const RETRY_MS = 1_000;

/**
 * Resolves when this version can work with the database's schema: all its own migrations applied,
 * and none that ended its support. Waits while the schema is older, because the migration may still
 * be running, and while the database is unavailable unless `skipIfUnavailable`.
 * @throws SchemaTooNewError when waiting would not help
 */
export async function waitForCompatibleSchema(
  pool: Pool,
  { log }: Pick<ServiceContext, 'log'>,
  { skipIfUnavailable = false } = {},
): Promise<void> {
  const newestKnown = await newestMigration();
  let loggedLack = '';
  for (;;) {
    const schema = await findSchema(pool);
    const isUnavailable = schema instanceof DatabaseUnavailableError;
    const lack = isUnavailable ? `the database is unavailable: ${causeOf(schema)}` : schemaMismatch(schema, newestKnown);
    if (lack === undefined) return;
    const context = isUnavailable ? { known: newestKnown, err: schema } : { known: newestKnown, ...schema };
    if (isUnavailable && skipIfUnavailable) return log.warn(context, `serving although ${lack}`);
    // Once per reason, not every second.
    if (lack !== loggedLack) log.warn(context, `waiting to serve: ${lack}`);
    loggedLack = lack;
    await sleep(RETRY_MS);
  }
}

/**
 * Returns what is missing until this version can serve, if anything.
 * @throws SchemaTooNewError when waiting would not help
 */
export function schemaMismatch({ migrated, oldestCode }: SchemaFound, newestKnown: number): string | undefined {
  if (oldestCode > newestKnown) {
    throw new SchemaTooNewError(
      `this version knows migrations up to ${newestKnown}, and the database works only with versions that know ${oldestCode}: deploy a newer version, or restore the database from before (docs/runbooks/upgrade.md)`,
    );
  }
  if (migrated >= newestKnown) return undefined;
  return `the database is migrated to ${migrated}, and this version needs ${newestKnown}: run prepare (docs/runbooks/upgrade.md)`;
}

/**
 * Returns the schema of a database. One whose tables are missing, or not readable yet, counts as
 * older.
 */
export async function readSchema(client: Queryable): Promise<SchemaFound> {
  try {
    const { rows } = await client.query<{ name: string | null; oldest_code: number }>(
      'select (select max(name) from public.migration) as name, oldest_code from public.schema_support',
    );
    return { migrated: numberOf(rows[0]?.name), oldestCode: rows[0]?.oldest_code ?? 0 };
  } catch (error) {
    if (['42P01', '42501'].includes(sqlState(error) ?? '')) return { migrated: 0, oldestCode: 0 };
    throw error;
  }
}

/** Returns the number of the newest migration of this version. */
export async function newestMigration(): Promise<number> {
  return numberOf((await migrationNames()).at(-1));
}

async function findSchema(pool: Pool): Promise<SchemaFound | DatabaseUnavailableError> {
  try {
    return await inTransaction(pool, readSchema);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return error;
    throw error;
  }
}

function numberOf(name: string | null | undefined): number {
  return Number.parseInt(name ?? '0', 10);
}
