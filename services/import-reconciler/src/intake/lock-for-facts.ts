import { RetryLaterError } from '@survey/bus/redelivery.ts';
import { sqlState, type Client } from '@survey/postgres/database.ts';
import { lockAccountState } from '../sql/account-state.ts';
import type { LockedAccount } from './write-facts.ts';

/** Somebody else writes the account's employees, such as an import: come again later. */
export class AccountBusyError extends RetryLaterError {
  override readonly name = 'AccountBusy';
}

const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_TIMEOUT = '2s';

/**
 * Takes the account's lock within two seconds. An import may hold it for minutes, and whoever waits keeps the facts of other accounts from being
 * worked on.
 */
export async function lockForFacts(tx: Client, accountId: number): Promise<LockedAccount> {
  try {
    await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    return { accountId, state: await lockAccountState(tx, accountId) };
  } catch (error) {
    throw sqlState(error) === LOCK_NOT_AVAILABLE ? new AccountBusyError('the employees of the account are being written') : error;
  }
}
