import type { Client } from '@survey/postgres/database.ts';

/**
 * Returns at most `limit` repeated import_ids among new employees, which no stored row could
 * reveal.
 */
export async function repeatedNewImportIds(tx: Client, limit: number): Promise<{ first: number; second: number }[]> {
  const { rows } = await tx.query<{ first: number; second: number }>(
    `select min(index) as first, max(index) as second
     from planned where is_new group by import_id having count(*) > 1
     order by first limit $1`,
    [limit],
  );
  return rows;
}
