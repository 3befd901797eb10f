import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { deleteFactsOfErased } from '@survey/bus/facts/deferred-facts.ts';
import { allowLongStatements, type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { MAX_CHANGES } from '../answers/account-snapshot.ts';
import { lockAccountState, saveAccountState } from './account-state.ts';

// Without an index on respondents, their responses are found by reading all responses of the
// account.
const MAX_STATEMENT_MS = 60_000;

/**
 * Detaches an employee's answers, which then belong to a number without an employee, or deletes
 * them (rule DATA-ERASURE-2).
 */
export const eraseEmployee =
  (pool: Pool) =>
  (erasure: Erasure): Promise<undefined> =>
    inAccount(pool, erasure.accountId, async (tx) => {
      const { accountId, employeeId, answers } = erasure;
      await allowLongStatements(tx, MAX_STATEMENT_MS);
      const state = await lockAccountState(tx, accountId);
      await deleteFactsOfErased(tx, 'scoring', erasure);
      const respondent = await deleteRespondent(tx, accountId, employeeId);
      if (respondent === undefined) return undefined;
      if (answers === 'anonymise') return unlinkResponses(tx, accountId, respondent);
      state.answers -= await deleteResponses(tx, accountId, respondent);
      // More changes than a cache can follow: every process loads the account's answers again.
      state.sequence += MAX_CHANGES + 1;
      await saveAccountState(tx, accountId, state);
      return undefined;
    });

/** Deletes which employee a respondent is. Returns the employee's ordinal, if there is one. */
async function deleteRespondent(tx: Client, accountId: number, employeeId: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ ordinal: number }>(
    'delete from scoring.respondent where account_id = $1::bigint and employee_id = $2::bigint returning ordinal',
    [accountId, employeeId],
  );
  return rows[0]?.ordinal;
}

/** Deletes the digests of facts, because whoever has a fact could recognise it by its digest. */
async function unlinkResponses(tx: Client, accountId: number, respondent: number): Promise<undefined> {
  await tx.query(`update scoring.response set digest = '' where account_id = $1::bigint and respondent = $2::integer`, [
    accountId,
    respondent,
  ]);
  return undefined;
}

const DELETE = `
with response as (
  delete from scoring.response where account_id = $1::bigint and respondent = $2::integer returning ordinal
), removed as (
  delete from scoring.removed_answer where account_id = $1::bigint and respondent = $2::integer
)
delete from scoring.answer where account_id = $1::bigint and response = any(array(select ordinal from response))`;

/** Deletes a respondent's responses. Returns the number of deleted answers. */
async function deleteResponses(tx: Client, accountId: number, respondent: number): Promise<number> {
  const { rowCount } = await tx.query(DELETE, [accountId, respondent]);
  return rowCount ?? 0;
}
