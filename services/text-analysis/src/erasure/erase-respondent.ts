import type { Client } from '@survey/postgres/database.ts';
import type { RosterPerson } from '@survey/text/masking/roster.ts';

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

/** Returns the ids of a respondent's responses. */
export async function responsesOf(tx: Client, accountId: number, respondent: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    'select id from text.response where account_id = $1::bigint and respondent = $2::integer',
    [accountId, respondent],
  );
  return rows.map(({ id }) => id);
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
