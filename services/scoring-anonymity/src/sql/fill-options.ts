import type { Client, Pool } from '@survey/postgres/database.ts';

/** The accounts in which somebody has answered lately who was not known as an employee then. */
export async function accountsWithoutOptions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_without_options() as id');
  return rows.map(({ id }) => id);
}

/**
 * Notes the options of respondents who have become known as employees only after their answer: the facts about both travel side by side.
 * Needs lockAccountState.
 */
export async function fillOptions(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `update scoring.response r set option_ids = e.option_ids
     from scoring.respondent p
     join imports.employee e on e.account_id = p.account_id and e.id = p.employee_id
     where r.account_id = $1::bigint and r.option_ids is null and r.taken_in_at > now() - interval '30 minutes'
       and p.account_id = r.account_id and p.ordinal = r.respondent`,
    [accountId],
  );
}
