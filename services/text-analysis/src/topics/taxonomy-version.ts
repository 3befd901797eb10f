import type { Queryable } from '@survey/postgres/database.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';

/**
 * Returns a version that grows with every change that may affect topics; 0 without texts and
 * topics.
 */
export async function taxonomyVersion(db: Queryable, accountId: number): Promise<number> {
  const { rows } = await db.query<{ taxonomy_version: number }>(
    'select taxonomy_version from text.account_state where account_id = $1::bigint',
    [accountId],
  );
  return rows[0]?.taxonomy_version ?? 0;
}

/**
 * Returns a key that changes with the taxonomy, even if a restored or promoted database assigns a
 * version again.
 */
export async function taxonomyKey(db: Queryable, accountId: number): Promise<string> {
  const { rows } = await db.query<{ key: string }>(
    `select ${TIMELINE} || '/' || coalesce((select taxonomy_version from text.account_state where account_id = $1::bigint), 0) as key`,
    [accountId],
  );
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0].key;
}
