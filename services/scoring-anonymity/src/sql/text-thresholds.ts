import type { Queryable } from '@survey/postgres/database.ts';

/**
 * Returns the configured text thresholds of the known surveys, by survey id. With the disclosure
 * guard there are none, so that all texts are withheld (rule GUARD-TEXTS-1).
 */
export async function readTextThresholds(
  db: Queryable,
  accountId: number,
  surveyIds: readonly number[],
): Promise<Map<number, number | null>> {
  const { rows } = await db.query<{ id: number; text_threshold: number | null }>(
    `select id, text_threshold from scoring.survey where account_id = $1::bigint and id = any($2::bigint[]) and coalesce(
       (select disclosure_guard from admin.settings where account_id = $1::bigint order by version desc limit 1), 'off') = 'off'`,
    [accountId, surveyIds],
  );
  return new Map(rows.map(({ id, text_threshold }) => [id, text_threshold]));
}
