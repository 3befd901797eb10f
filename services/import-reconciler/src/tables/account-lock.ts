import type { Client } from '@survey/postgres/database.ts';

export interface AccountState {
  employees: number;
  next_employee_id: number;
  next_attribute_id: number;
  next_option_id: number;
  hash_salt: string;
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
