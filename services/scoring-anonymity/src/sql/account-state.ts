import type { Client } from '@survey/postgres/database.ts';

/** Last ordinals and sequence assigned in an account; the intake continues from them. */
export interface AccountState {
  sequence: number;
  responses: number;
  respondents: number;
  choices: number;
  answers: number;
}

/** Locks the account state against concurrent ingestion until the end of the transaction. */
export async function lockAccountState(tx: Client, accountId: number): Promise<AccountState> {
  await tx.query('insert into scoring.account_state (account_id) values ($1) on conflict do nothing', [accountId]);
  const { rows } = await tx.query<AccountState>(
    'select sequence, responses, respondents, choices, answers from scoring.account_state where account_id = $1 for update',
    [accountId],
  );
  if (rows[0] === undefined) throw new Error('expected a state of the account');
  return rows[0];
}

export async function saveAccountState(tx: Client, accountId: number, state: AccountState): Promise<void> {
  await tx.query(
    `update scoring.account_state set sequence = $2, responses = $3, respondents = $4, choices = $5, answers = $6
     where account_id = $1`,
    [accountId, state.sequence, state.responses, state.respondents, state.choices, state.answers],
  );
}
