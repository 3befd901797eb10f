import type { Client } from '@survey/postgres/database.ts';

/** Deletes which employee a respondent is. Returns the employee's ordinal, if there is one. */
export async function deleteRespondent(tx: Client, accountId: number, employeeId: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ ordinal: number }>(
    'delete from scoring.respondent where account_id = $1::bigint and employee_id = $2::bigint returning ordinal',
    [accountId, employeeId],
  );
  return rows[0]?.ordinal;
}

/** Deletes the digests of facts: a known fact could be compared with them. */
export async function unlinkResponses(tx: Client, accountId: number, respondent: number): Promise<undefined> {
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
export async function deleteResponses(tx: Client, accountId: number, respondent: number): Promise<number> {
  const { rowCount } = await tx.query(DELETE, [accountId, respondent]);
  return rowCount ?? 0;
}
