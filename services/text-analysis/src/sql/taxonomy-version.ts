import type { Queryable } from '@survey/postgres/database.ts';

/** Grows with every change that may change what answers are about; 0 for an account without texts and topics. */
export async function taxonomyVersion(db: Queryable, accountId: number): Promise<number> {
  const { rows } = await db.query<{ taxonomy_version: number }>(
    'select taxonomy_version from text.account_state where account_id = $1::bigint',
    [accountId],
  );
  return rows[0]?.taxonomy_version ?? 0;
}
