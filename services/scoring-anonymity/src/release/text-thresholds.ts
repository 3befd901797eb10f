import type { Queryable } from '@survey/postgres/database.ts';

/**
 * Returns the configured text thresholds of the known surveys, by survey id. There are none when
 * the account's disclosure guard is not the expected one, so that all texts are withheld.
 */
export async function readTextThresholds(
  db: Queryable,
  accountId: number,
  surveyIds: readonly number[],
  guard: 'off' | 'strict',
): Promise<Map<number, number | null>> {
  const { rows } = await db.query<{ id: number; text_threshold: number | null }>(
    `select id, text_threshold from scoring.survey where account_id = $1::bigint and id = any($2::bigint[]) and coalesce(
       (select disclosure_guard from admin.settings where account_id = $1::bigint order by version desc limit 1), 'off') = $3::text`,
    [accountId, surveyIds, guard],
  );
  return new Map(rows.map(({ id, text_threshold }) => [id, text_threshold]));
}
