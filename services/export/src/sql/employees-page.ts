import type { Queryable } from '@survey/postgres/database.ts';

export interface EmployeesPage {
  // Of all employees of the account, deleted ones too.
  totalCount: number;
  // Of the attribute and option names in this snapshot.
  dictionaryVersion: number;
  rows: readonly EmployeeRow[];
}

// As PostgreSQL's text, which for numbers and booleans is JSON's; the option ids as {1,2,3}.
export type EmployeeRow = [
  id: string,
  importId: string | null,
  email: string,
  firstname: string | null,
  lastname: string | null,
  role: string | null,
  isDeleted: string,
  optionIds: string,
  ...AccountColumns,
];

type AccountColumns = [totalCount: number, dictionaryVersion: number];
type EmptyPageRow = [null, null, null, null, null, null, null, null, ...AccountColumns];

// Positions are dense, so "position > offset" is the page, at the same price at any depth: with OFFSET, page 1,000 of 1,000 costs 50
// times as much as the first (performance.md B1). The account's row comes first, so that an empty page still has its total_count.
const EMPLOYEES_PAGE = `
select
  e.id::text, e.import_id, e.email, e.firstname, e.lastname, e.role, e.is_deleted::text, e.option_ids::text,
  s.employees, s.dictionary_version
from imports.account_state s
left join lateral (
  select *
  from imports.employee
  where account_id = s.account_id and position > $2::bigint
  order by position
  limit $3::bigint
) e on true
where s.account_id = $1::bigint
order by e.position`;

/** One page of the account's employees in the order of their creation. An account that never had an employee has no state row: total 0. */
export async function readEmployeesPage(
  db: Queryable,
  { accountId, limit, offset }: { accountId: number; limit: number; offset: number },
): Promise<EmployeesPage> {
  const { rows } = await db.query<EmployeeRow | EmptyPageRow>({
    text: EMPLOYEES_PAGE,
    values: [accountId, offset, limit],
    rowMode: 'array',
  });
  const first = rows[0];
  if (first === undefined) return { totalCount: 0, dictionaryVersion: 0, rows: [] };
  return { totalCount: first[8], dictionaryVersion: first[9], rows: rows.filter((row) => row[0] !== null) };
}
