import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { deleteFactsOfErased } from '@survey/bus/facts/deferred-facts.ts';
import { allowLongStatements, type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { Roster, type RosterPerson } from '@survey/text/masking/roster.ts';
import { MAX_CHANGES } from '../answers/account-snapshot.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
import { deleteResponses } from './delete-responses.ts';
import { maskDeferredMentions, maskMentions } from './mask-mentions.ts';

// Without an index on respondents, their responses are found by reading all responses of the
// account.
const MAX_STATEMENT_MS = 60_000;
const STEP_MS = 2_000;

/**
 * Detaches an employee's texts, which then belong to a number without an employee, or deletes them,
 * and masks the employee in all texts of the account (rule DATA-ERASURE-2). Returns 0 while texts
 * are left, else undefined. A new process begins with the first text again.
 */
export function eraseEmployee(pool: Pool): (erasure: Erasure) => Promise<number | undefined> {
  const maskedBelow = new Map<string, number>();
  return async (erasure) => {
    const { accountId, employeeId } = erasure;
    const key = `${accountId}/${employeeId}`;
    let from = maskedBelow.get(key);
    if (from === undefined) await inAccount(pool, accountId, (tx) => eraseAnswers(tx, erasure));
    from ??= 0;
    await failpoint('erase.texts_unlinked');
    const roster = new Roster(await inAccount(pool, accountId, (tx) => erasedNames(tx, accountId, employeeId)));
    // Before the answers are counted: one of these may become an answer at any time.
    if (from === 0 && roster.size > 0) await maskDeferredMentions(pool, accountId, roster);
    const answers = await inAccount(pool, accountId, (tx) => countAnswers(tx, accountId));
    const endAt = performance.now() + STEP_MS;
    while (roster.size > 0 && from < answers && performance.now() < endAt)
      from = await maskMentions(pool, accountId, roster, from);
    await failpoint('erase.texts_masked');
    maskedBelow.set(key, from);
    if (roster.size > 0 && from < answers) return 0;
    maskedBelow.delete(key);
    return undefined;
  };
}

async function eraseAnswers(tx: Client, erasure: Erasure): Promise<void> {
  const { accountId, employeeId, answers } = erasure;
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const state = await lockAccountState(tx, accountId);
  await deleteFactsOfErased(tx, 'text', erasure);
  const respondent = await deleteRespondent(tx, accountId, employeeId);
  if (respondent === undefined) return;
  if (answers === 'anonymise') return unlinkResponses(tx, accountId, respondent);
  await deleteResponses(tx, accountId, await responsesOf(tx, accountId, respondent));
  // More changes than a cache can follow: every process loads the account's answers again.
  state.sequence += MAX_CHANGES + 1;
  await saveAccountState(tx, accountId, state);
}

/** Deletes the link from a respondent's ordinal to the employee. Returns the ordinal, if any. */
async function deleteRespondent(tx: Client, accountId: number, employeeId: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ ordinal: number }>(
    'delete from text.respondent where account_id = $1::bigint and employee_id = $2::bigint returning ordinal',
    [accountId, employeeId],
  );
  return rows[0]?.ordinal;
}

/** Deletes the digests of facts: a known fact could be compared with them. */
async function unlinkResponses(tx: Client, accountId: number, respondent: number): Promise<void> {
  await tx.query(`update text.response set digest = '' where account_id = $1::bigint and respondent = $2::integer`, [
    accountId,
    respondent,
  ]);
}

/** Returns the ids of a respondent's responses. */
async function responsesOf(tx: Client, accountId: number, respondent: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    'select id from text.response where account_id = $1::bigint and respondent = $2::integer',
    [accountId, respondent],
  );
  return rows.map(({ id }) => id);
}

/** Returns the names by which texts may mention the employee, until the erasure ends. */
async function erasedNames(tx: Client, accountId: number, employeeId: number): Promise<RosterPerson[]> {
  const { rows } = await tx.query<RosterPerson>(
    `select firstname, lastname, email from imports.erased_employee
     where account_id = $1::bigint and employee_id = $2::bigint and email is not null`,
    [accountId, employeeId],
  );
  return rows;
}

/** Returns the first answer id that is not assigned yet. */
async function countAnswers(tx: Client, accountId: number): Promise<number> {
  const { rows } = await tx.query<{ answers: number }>('select answers from text.account_state where account_id = $1::bigint', [
    accountId,
  ]);
  return rows[0]?.answers ?? 0;
}
