import type { Queryable } from '@survey/postgres/database.ts';

/**
 * Returns the ids of the employees that the import API created under these import_ids; unknown ones
 * are omitted.
 */
export async function findImported(
  db: Queryable,
  accountId: number,
  importIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (importIds.length === 0) return new Map();
  const { rows } = await db.query<[string, number]>({
    // "offset 0" forces one index lookup per id. Without statistics for a new account, PostgreSQL
    // would expect few employees and scan all of them for each batch.
    text: `select wanted.import_id, e.id
      from unnest($2::text[]) as wanted (import_id) cross join lateral (
        select e.id from imports.employee e
        where e.account_id = $1::bigint and e.created_via = 'import_api' and e.import_id = wanted.import_id offset 0
      ) e`,
    values: [accountId, importIds],
    rowMode: 'array',
  });
  return new Map(rows);
}
