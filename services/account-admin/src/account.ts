import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { requireAdmin } from './authorise.ts';

/** Reads in the account that a request names. Refuses with not_found when there is no such account. */
export function withAccount<T>(
  pool: Pool,
  call: CallContext,
  accountId: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return inExistingAccount(pool, call, accountId, 'select from admin.account where account_id = $1::bigint', work);
}

/** As readAccount, to change something: one change of an account at a time, so that what an audit row calls before is what was there. */
export function withLockedAccount<T>(
  pool: Pool,
  call: CallContext,
  accountId: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const lock = 'select from admin.account where account_id = $1::bigint for no key update';
  return inExistingAccount(pool, call, accountId, lock, work);
}

async function inExistingAccount<T>(
  pool: Pool,
  call: CallContext,
  accountId: number,
  lookUp: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (!Number.isSafeInteger(accountId) || accountId < 1) throw invalid('account_id must be a positive integer');
  return inAccount(pool, accountId, async (client) => {
    const { rowCount } = await client.query(lookUp, [accountId]);
    if (rowCount === 0) throw notFound(`there is no account ${accountId}`);
    await requireAdmin(client, accountId, call);
    return work(client);
  });
}
