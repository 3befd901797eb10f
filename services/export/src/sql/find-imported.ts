import type { Queryable } from '@survey/postgres/database.ts';

/** The ids of the employees whom the import API created under these import_ids; of those who have not come yet, none. */
export async function findImported(
  db: Queryable,
  accountId: number,
  importIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (importIds.length === 0) return new Map();
  const { rows } = await db.query<[string, number]>({
    // "offset 0" makes PostgreSQL look up each: of an account that is new to its statistics it expects so few employees that it would read
    // them all, for each batch again.
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
