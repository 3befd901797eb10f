import { failpoint } from '@survey/process/failpoint.ts';
import { inAccount, type Client, type Pool, type Queryable } from './database.ts';

/** A schema whose service deletes an account's rows. */
export type OwnedSchema = 'admin' | 'export' | 'imports' | 'scoring' | 'text';

/** The account was closed: its data is being deleted, or was. */
export class AccountClosedError extends Error {
  override readonly name = 'AccountClosedError';

  constructor(accountId: number) {
    super(`cannot write data of account ${accountId}: it is closed`);
  }
}

// A batch locks its rows for some 50 ms, so that it never holds up other writers: a slow server
// gets smaller ones. Each table begins with a small one: rows of one may cost much more than rows
// of another.
const MIN_BATCH = 100;
const MAX_BATCH = 4_000;
const FAST_MS = 25;
const SLOW_MS = 75;

// Working tables of the deletion itself; the relay deletes sent messages within a day. The rows
// that prove the account's closing and deletion are kept in `admin`.
const KEPT = ['due', 'deleted_rows', 'outbox', 'event_sequence', 'account', 'account_deletion', 'audit'];

/**
 * Returns the schema's tables with rows of accounts, referencing tables before referenced ones.
 * Read from the catalogue, so that a new table is never missed.
 */
async function accountTables(db: Queryable, schema: OwnedSchema): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `with recursive tenant as (
       select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attname = 'account_id' and c.relname <> all ($2::text[])
     ), referenced as (
       select oid, 0 as depth from tenant
       union all
       select k.confrelid, r.depth + 1 from referenced r
       join pg_constraint k on k.conrelid = r.oid and k.contype = 'f' and k.confrelid <> k.conrelid
       join tenant t on t.oid = k.confrelid
     )
     select t.relname as name from tenant t join referenced using (oid) group by t.oid, t.relname order by max(depth), t.relname`,
    [schema, KEPT],
  );
  return rows.map(({ name }) => name);
}

/**
 * Deletes the account's rows of a schema in small transactions, for about `forMs`, and counts them
 * in its table deleted_rows. Returns whether nothing was left in any table.
 */
export async function deleteAccountRows(pool: Pool, schema: OwnedSchema, accountId: number, forMs: number): Promise<boolean> {
  const endAt = performance.now() + forMs;
  let deletedAny = false;
  for (const table of await accountTables(pool, schema)) {
    let batch = MIN_BATCH;
    for (;;) {
      const startedAt = performance.now();
      if (startedAt > endAt) return false;
      const size = batch;
      const deleted = await inAccount(pool, accountId, (tx) => deleteBatch(tx, schema, table, accountId, size));
      const ms = performance.now() - startedAt;
      if (ms > SLOW_MS) batch = Math.max(MIN_BATCH, Math.floor(size / 2));
      else if (ms < FAST_MS && deleted === size) batch = Math.min(MAX_BATCH, size * 2);
      await failpoint('deletion.batch');
      deletedAny ||= deleted > 0;
      if (deleted < size) break;
    }
  }
  return !deletedAny;
}

async function deleteBatch(tx: Client, schema: OwnedSchema, table: string, accountId: number, size: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from ${schema}.${table} where account_id = $1::bigint
       and ctid = any (array(select ctid from ${schema}.${table} where account_id = $1::bigint limit $2::integer))`,
    [accountId, size],
  );
  const deleted = rowCount ?? 0;
  if (deleted === 0) return 0;
  await tx.query(
    `insert into ${schema}.deleted_rows as d (account_id, table_name, deleted) values ($1::bigint, $2::text, $3::bigint)
     on conflict (account_id, table_name) do update set deleted = d.deleted + excluded.deleted`,
    [accountId, table, deleted],
  );
  return deleted;
}

/** Notes that the schema holds no rows of the account any more. Idempotent. */
export async function finishDeletion(pool: Pool, schema: OwnedSchema, accountId: number): Promise<void> {
  await inAccount(pool, accountId, (tx) =>
    tx.query(
      `insert into ${schema}.deleted_rows (account_id, table_name, deleted) values ($1::bigint, '', 0) on conflict do nothing`,
      [accountId],
    ),
  );
}
