import type { Queryable } from '@survey/postgres/database.ts';

/** Employee references in responses. */
export interface FoundEmployees {
  // By the import_id of the import API.
  readonly idOf: ReadonlyMap<string, number>;
  // Current option ids of the employee.
  readonly optionIdsOf: ReadonlyMap<number, readonly number[]>;
}

const FIND = `
select id, null as import_id, option_ids from imports.employee where account_id = $1::bigint and id = any($2::bigint[])
union all
select id, import_id, option_ids from imports.employee
where account_id = $1::bigint and created_via = 'import_api' and import_id = any($3::text[])`;

/** Finds offboarded employees too: their answers stay in scope (rule IMPORT-IDENTITY-8). */
export async function findEmployees(
  db: Queryable,
  accountId: number,
  { ids, importIds }: { ids: readonly number[]; importIds: readonly string[] },
): Promise<FoundEmployees> {
  const { rows } = await db.query<{ id: number; import_id: string | null; option_ids: number[] }>(FIND, [
    accountId,
    ids,
    importIds,
  ]);
  const idOf = new Map<string, number>();
  for (const { id, import_id } of rows) if (import_id !== null) idOf.set(import_id, id);
  return { idOf, optionIdsOf: new Map(rows.map(({ id, option_ids }) => [id, option_ids])) };
}
