import type { Client } from '@survey/postgres/database.ts';

/** Returns the ids of the expired responses of one cycle of the account. */
export async function findExpiredResponses(tx: Client, accountId: number, defaultDays: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select r.id from (select cycle, before_month from text.expired_cycles($2::float8) where account_id = $1::bigint limit 1) e
     join text.response r on r.account_id = $1::bigint and r.cycle = e.cycle and (e.before_month is null or r.submitted_month < e.before_month)`,
    [accountId, defaultDays],
  );
  return rows.map(({ id }) => id);
}
