import type { Client } from '@survey/postgres/database.ts';
import type { Account } from '@survey/proto/admin/v1/admin.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import { utc } from './utc.ts';

/**
 * Returns one account.
 * @throws `not_found`
 */
export async function findAccount(client: Client, accountId: number): Promise<Account> {
  const { rows } = await client.query<Account>(
    `select account_id, name, ${utc('created_at')} as created_at from admin.account where account_id = $1::bigint`,
    [accountId],
  );
  if (rows[0] === undefined) throw notFound(`there is no account ${accountId}`);
  return rows[0];
}

/** Counts the managed employees: the base of the deletion threshold. */
export async function countManaged(client: Client, accountId: number): Promise<number> {
  const { rows } = await client.query<{ managed: number }>(
    `select count(*) as managed from imports.employee where account_id = $1::bigint and created_via = 'import_api' and not is_deleted`,
    [accountId],
  );
  return rows[0]?.managed ?? 0;
}
