import type { Queryable } from '@survey/postgres/database.ts';

/** Returns the accounts whose number of employees differs from their last applied snapshot. */
export async function unequalAccounts(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ account_id: string }>(`
    select account_id from (
      select distinct on (account_id) account_id, employees_total from imports.import
      where state = 'applied' order by account_id, accepted_at desc) last
    where employees_total <> (
      select count(*) from imports.employee e where e.account_id = last.account_id and not e.is_deleted)`);
  return rows.map(({ account_id }) => Number(account_id));
}
