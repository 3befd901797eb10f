import { AccountClosedError } from '@survey/postgres/account-rows.ts';
import type { Client } from '@survey/postgres/database.ts';

/** Last ordinals and sequence assigned in an account; the intake continues from them. */
export interface AccountState {
  sequence: number;
  responses: number;
  respondents: number;
  choices: number;
  answers: number;
}

// The row of a closed account, once deleted, must not come back (rule DATA-DELETION-1).
const CREATE = `
insert into scoring.account_state (account_id) select $1::bigint where admin.account_exists($1::bigint)
on conflict do nothing`;

/**
 * Locks the account state against concurrent ingestion until the end of the transaction.
 * @throws AccountClosedError when the account's data is deleted
 */
export async function lockAccountState(tx: Client, accountId: number): Promise<AccountState> {
  await tx.query(CREATE, [accountId]);
  const { rows } = await tx.query<AccountState>(
    'select sequence, responses, respondents, choices, answers from scoring.account_state where account_id = $1 for update',
    [accountId],
  );
  if (rows[0] === undefined) throw new AccountClosedError(accountId);
  return rows[0];
}

export async function saveAccountState(tx: Client, accountId: number, state: AccountState): Promise<void> {
  await tx.query(
    `update scoring.account_state set sequence = $2, responses = $3, respondents = $4, choices = $5, answers = $6
     where account_id = $1`,
    [accountId, state.sequence, state.responses, state.respondents, state.choices, state.answers],
  );
}
