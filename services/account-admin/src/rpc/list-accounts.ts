import { inTransaction, type Pool } from '@survey/postgres/database.ts';
import type { Account, ListAccountsResponse } from '@survey/proto/admin/v1/admin.ts';
import { utc } from '../sql/utc.ts';

const SQL = `
select account_id, name, ${utc('created_at')} as created_at, ${utc('closed_at')} as closed_at
from admin.account order by account_id`;

/** Returns all accounts, oldest first. */
export const listAccounts = (pool: Pool) => (): Promise<ListAccountsResponse> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<Account>(SQL);
    return { accounts: rows };
  });
