import type { Client } from '@survey/postgres/database.ts';
import type { RosterPerson } from '@survey/pii-masking/roster.ts';

/** Deletes which employee a respondent is. Returns the employee's ordinal, if there is one. */
export async function deleteRespondent(tx: Client, accountId: number, employeeId: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ ordinal: number }>(
    'delete from text.respondent where account_id = $1::bigint and employee_id = $2::bigint returning ordinal',
    [accountId, employeeId],
  );
  return rows[0]?.ordinal;
}

/** Deletes the digests of facts: a known fact could be compared with them. */
export async function unlinkResponses(tx: Client, accountId: number, respondent: number): Promise<void> {
  await tx.query(`update text.response set digest = '' where account_id = $1::bigint and respondent = $2::integer`, [
    accountId,
    respondent,
  ]);
}

const OF_ANSWERS = ['pending', 'given_up', 'topic_assignment', 'masked_text'];

/** Deletes a respondent's responses and all results of their texts. */
export async function deleteResponses(tx: Client, accountId: number, respondent: number): Promise<void> {
  const { rows } = await tx.query<{ id: number; response_id: string }>(
    `select a.id, a.response_id from text.answer a
     join text.response r on r.account_id = a.account_id and r.id = a.response_id
     where a.account_id = $1::bigint and r.respondent = $2::integer`,
    [accountId, respondent],
  );
  const answers = rows.map(({ id }) => id);
  const awaited = rows.map(({ response_id }) => `response ${response_id}`);
  for (const table of OF_ANSWERS)
    await tx.query(`delete from text.${table} where account_id = $1::bigint and answer = any($2::integer[])`, [
      accountId,
      answers,
    ]);
  await tx.query('delete from text.answer where account_id = $1::bigint and id = any($2::integer[])', [accountId, answers]);
  await tx.query('delete from text.response where account_id = $1::bigint and respondent = $2::integer', [accountId, respondent]);
  await tx.query('delete from text.deferred_fact where account_id = $1::bigint and missing_object = any($2::text[])', [
    accountId,
    awaited,
  ]);
}

/** Returns the names by which texts may mention the employee, until the erasure ends. */
export async function erasedNames(tx: Client, accountId: number, employeeId: number): Promise<RosterPerson[]> {
  const { rows } = await tx.query<RosterPerson>(
    `select firstname, lastname, email from imports.erased_employee
     where account_id = $1::bigint and employee_id = $2::bigint and email is not null`,
    [accountId, employeeId],
  );
  return rows;
}

/** Returns the first answer id that is not assigned yet. */
export async function countAnswers(tx: Client, accountId: number): Promise<number> {
  const { rows } = await tx.query<{ answers: number }>('select answers from text.account_state where account_id = $1::bigint', [
    accountId,
  ]);
  return rows[0]?.answers ?? 0;
}
