import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { requireAdmin } from './authorise.ts';

/**
 * Reads within the account of a request.
 * @throws `not_found` when the account does not exist.
 */
export function withAccount<T>(
  pool: Pool,
  call: CallContext,
  accountId: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return inExistingAccount(
    pool,
    call,
    accountId,
    'select closed_at is not null as closed from admin.account where account_id = $1::bigint',
    work,
  );
}

/** Like withAccount, but accepts closed and deleted accounts. */
export function withAnyAccount<T>(
  pool: Pool,
  call: CallContext,
  accountId: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const lookUp = 'select false as closed from admin.account where account_id = $1::bigint';
  return inExistingAccount(pool, call, accountId, lookUp, work);
}

/**
 * Changes the account of a request while its row is locked, so that the audit's `before` is the
 * actual previous state.
 */
export function withLockedAccount<T>(
  pool: Pool,
  call: CallContext,
  accountId: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const lock = 'select closed_at is not null as closed from admin.account where account_id = $1::bigint for no key update';
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
    const { rows } = await client.query<{ closed: boolean }>(lookUp, [accountId]);
    if (rows[0] === undefined) throw notFound(`there is no account ${accountId}`);
    if (rows[0].closed) throw notFound(`account ${accountId} is closed: its data is being deleted, or was`);
    await requireAdmin(client, accountId, call);
    return work(client);
  });
}
