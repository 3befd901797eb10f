import type { Client, Pool } from '@survey/postgres/database.ts';
import type { AccountDeletion, DeletedRows } from '@survey/proto/admin/v1/admin.ts';
import { utc } from './utc.ts';

const SERVICES = ['export', 'imports', 'scoring', 'text'];

/** Returns the account's deletion with its progress, if one was requested. */
export async function findDeletion(client: Client, accountId: number): Promise<AccountDeletion | undefined> {
  const { rows } = await client.query<Omit<AccountDeletion, 'deleted' | 'pending_schemas' | 'remainders'>>(
    `select d.account_id, d.requested_by, ${utc('d.requested_at')} as requested_at, ${utc('d.due_at')} as due_at,
       ${utc('a.closed_at')} as closed_at, ${utc('d.finished_at')} as finished_at,
       case when d.finished_at is not null then 'finished' when a.closed_at is not null then 'running' else 'scheduled' end as state
     from admin.account_deletion d join admin.account a using (account_id)
     where d.account_id = $1::bigint`,
    [accountId],
  );
  if (rows[0] === undefined) return undefined;
  const deleted = await deletedRows(client, accountId);
  return {
    ...rows[0],
    deleted: deleted.filter(({ table }) => !table.endsWith('.')),
    pending_schemas: SERVICES.filter((schema) => !deleted.some(({ table }) => table === `${schema}.`)),
    remainders: [],
  };
}

// A row without a table's name says that the schema has finished.
async function deletedRows(client: Client, accountId: number): Promise<DeletedRows[]> {
  const of = (schema: string): string =>
    `select '${schema}.' || table_name as "table", deleted as rows from ${schema}.deleted_rows where account_id = $1::bigint`;
  const { rows } = await client.query<DeletedRows>(`${['admin', ...SERVICES].map(of).join(' union all ')} order by 1`, [
    accountId,
  ]);
  return rows;
}

/** Requests the deletion, or changes its time; it can be taken back until it is due. */
export async function insertDeletion(client: Client, accountId: number, by: string, afterSeconds: number): Promise<void> {
  await client.query(
    `insert into admin.account_deletion (account_id, requested_by, due_at)
     values ($1::bigint, $2::text, now() + $3::bigint * interval '1 second')
     on conflict (account_id) do update set requested_by = excluded.requested_by, due_at = excluded.due_at`,
    [accountId, by, afterSeconds],
  );
}

/** Takes a deletion back. Returns false when it has begun. */
export async function removeDeletion(client: Client, accountId: number): Promise<boolean> {
  const { rowCount } = await client.query('delete from admin.account_deletion where account_id = $1::bigint and due_at > now()', [
    accountId,
  ]);
  return rowCount === 1;
}

/**
 * Closes the account and ends its keys and integration. Returns the keys' ids and hashes, or
 * undefined when it is closed already, or its deletion is not due or was taken back.
 */
export async function closeAccount(client: Client, accountId: number): Promise<{ key_id: string; hash: Buffer }[] | undefined> {
  const { rowCount } = await client.query(
    `update admin.account a set closed_at = statement_timestamp() from admin.account_deletion d
     where a.account_id = $1::bigint and a.closed_at is null and d.account_id = a.account_id and d.due_at <= now()`,
    [accountId],
  );
  if (rowCount === 0) return undefined;
  await client.query(
    'update admin.integration set disconnected_at = now() where account_id = $1::bigint and disconnected_at is null',
    [accountId],
  );
  const { rows } = await client.query<{ key_id: string; hash: Buffer }>(
    'update admin.api_key set revoked_at = now() where account_id = $1::bigint and revoked_at is null returning key_id, hash',
    [accountId],
  );
  return rows;
}

/** Marks the deletion as finished and removes the account's name. */
export async function endDeletion(client: Client, accountId: number): Promise<void> {
  await client.query(`update admin.account set name = 'deleted account' where account_id = $1::bigint`, [accountId]);
  await client.query('update admin.account_deletion set finished_at = now() where account_id = $1::bigint', [accountId]);
}

/** Accounts whose deletion is due and not finished. */
export async function unfinishedDeletions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ account_id: number }>('select account_id from admin.unfinished_deletions() account_id');
  return rows.map(({ account_id }) => account_id);
}
