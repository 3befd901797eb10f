import { RetryLaterError } from '@survey/bus/redelivery.ts';
import type { Client } from '@survey/postgres/database.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import { lockAccountState } from './account-lock.ts';
import type { LockedAccount } from '../facts/write-facts.ts';

/**
 * Another transaction, such as an import, holds the account's lock; the facts are redelivered
 * later.
 */
export class AccountBusyError extends RetryLaterError {
  override readonly name = 'AccountBusyError';
}

const LOCK_TIMEOUT = '2s';

/**
 * Locks the account within two seconds. An import may hold the lock for minutes, and a waiting
 * handler would block the facts of other accounts.
 */
export async function lockForFacts(tx: Client, accountId: number): Promise<LockedAccount> {
  try {
    await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    return { accountId, state: await lockAccountState(tx, accountId) };
  } catch (error) {
    throw sqlState(error) === LOCK_NOT_AVAILABLE ? new AccountBusyError('the employees of the account are being changed') : error;
  }
}
