import type { Client } from '@survey/postgres/database.ts';

/** Records whose import_id stands in the list before: of new employees, whom no stored row could give away. At most `limit`. */
export async function repeatedNewImportIds(tx: Client, limit: number): Promise<{ first: number; second: number }[]> {
  const { rows } = await tx.query<{ first: number; second: number }>(
    `select min(index) as first, max(index) as second
     from planned where is_new group by import_id having count(*) > 1
     order by first limit $1`,
    [limit],
  );
  return rows;
}
