import type { Client } from '@survey/postgres/database.ts';

export interface AccountState {
  employees: number;
  next_employee_id: number;
  next_attribute_id: number;
  next_option_id: number;
  hash_salt: string;
}

/**
 * Locks the account against all other writers of its employees, attributes and options until the
 * transaction ends.
 */
export async function lockAccountState(tx: Client, accountId: number): Promise<AccountState> {
  const state = await lockRow(tx, accountId);
  if (state !== undefined) return state;
  await tx.query('insert into imports.account_state (account_id) values ($1) on conflict do nothing', [accountId]);
  const created = await lockRow(tx, accountId);
  if (created === undefined) throw new Error('expected a state of the account');
  return created;
}

async function lockRow(tx: Client, accountId: number): Promise<AccountState | undefined> {
  const { rows } = await tx.query<AccountState>(
    `select employees, next_employee_id, next_attribute_id, next_option_id, hash_salt
     from imports.account_state where account_id = $1 for update`,
    [accountId],
  );
  return rows[0];
}

/**
 * Reads what the accepting pass needs, without a lock. Returns undefined for an account that never
 * had employees.
 */
export async function peekAccountState(
  tx: Client,
  accountId: number,
): Promise<Pick<AccountState, 'employees' | 'hash_salt'> | undefined> {
  const { rows } = await tx.query<Pick<AccountState, 'employees' | 'hash_salt'>>(
    'select employees, hash_salt from imports.account_state where account_id = $1',
    [accountId],
  );
  return rows[0];
}
