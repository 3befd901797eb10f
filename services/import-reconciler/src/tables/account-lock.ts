import { randomUUID } from 'node:crypto';
import { RetryLaterError } from '@survey/bus/redelivery.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import type { Client } from '@survey/postgres/database.ts';

export interface AccountState {
  employees: number;
  next_employee_id: number;
  next_attribute_id: number;
  next_option_id: number;
  hash_salt: string;
}

export interface LockedAccount {
  readonly accountId: number;
  readonly state: Pick<AccountState, 'next_attribute_id' | 'next_option_id'>;
}

/** Reads the state; undefined for an account that never had employees. */
export async function readAccountState(
  tx: Client,
  accountId: number,
  lock: '' | 'for update' = '',
): Promise<AccountState | undefined> {
  const { rows } = await tx.query<AccountState>(
    `select employees, next_employee_id, next_attribute_id, next_option_id, hash_salt
     from imports.account_state where account_id = $1 ${lock}`,
    [accountId],
  );
  return rows[0];
}

/**
 * Locks the account against all other writers of its employees, attributes and options until the
 * transaction ends.
 */
export async function lockAccountState(tx: Client, accountId: number): Promise<AccountState> {
  const state = await readAccountState(tx, accountId, 'for update');
  if (state !== undefined) return state;
  await tx.query('insert into imports.account_state (account_id) values ($1) on conflict do nothing', [accountId]);
  const created = await readAccountState(tx, accountId, 'for update');
  if (created === undefined) throw new Error('expected a state of the account');
  return created;
}

/**
 * Tells clients that they do not have the current list of employees
 * (services/export/src/lists/conditional-page.ts). Requires lockAccountState.
 */
export async function renewEmployeesVersion(tx: Client, accountId: number): Promise<void> {
  await tx.query('update imports.account_state set employees_version = $2 where account_id = $1', [accountId, randomUUID()]);
}

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
