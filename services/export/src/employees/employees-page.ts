import type { Client } from '@survey/postgres/database.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
import { seekInBlocks } from '../lists/seek-in-blocks.ts';

/** Version of the names of an account's attributes and options. */
export interface DictionaryVersion {
  readonly version: number;
  // Identifies the database; it assigns each version once.
  readonly timeline: number;
}

export interface EmployeesPage {
  // All employees of the account, including deleted ones.
  totalCount: number;
  // Version of the attribute and option names in this database snapshot.
  dictionary: DictionaryVersion;
  rows: readonly EmployeeRow[];
}

// PostgreSQL's text form, which for numbers and booleans equals JSON; the option ids as {1,2,3}.
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

type AccountColumns = [totalCount: number, dictionaryVersion: number, timeline: number];
type EmptyPageRow = [null, null, null, null, null, null, null, null, ...AccountColumns];

const BLOCKS = 'select level, block, row_count from imports.employee_block where account_id = $1::bigint';

// With OFFSET alone, page 1,000 of 1,000 costs 50 times as much as the first. The account's columns
// come first, so that an empty page has its total_count; an account without employees has no state
// row.
export const EMPLOYEES_PAGE = `
with ${seekInBlocks(BLOCKS, '$2::bigint')}, state as (
  select coalesce((select dictionary_version from imports.account_state where account_id = $1::bigint), 0) as dictionary_version,
    ${TIMELINE} as timeline
)
select
  e.id::text, e.import_id, e.email, e.firstname, e.lastname, e.role, e.is_deleted::text, e.option_ids::text,
  total.count, state.dictionary_version, state.timeline
from total
cross join state
left join page_start on true
left join lateral (
  select *
  from imports.employee
  where account_id = $1::bigint and id >= page_start.first_id
  order by id
  limit $3::bigint offset page_start.skip
) e on true
order by e.id`;

/** Returns one page of the account's employees, sorted by id. */
export async function readEmployeesPage(
  db: Client,
  { accountId, limit, offset }: { accountId: number; limit: number; offset: number },
): Promise<EmployeesPage> {
  const query = { name: 'employees_page', text: EMPLOYEES_PAGE, values: [accountId, offset, limit], rowMode: 'array' as const };
  const { rows } = await db.query<EmployeeRow | EmptyPageRow>(query);
  const [, , , , , , , , totalCount = 0, version = 0, timeline = 0] = rows[0] ?? [];
  return { totalCount, dictionary: { version, timeline }, rows: rows.filter((row) => row[0] !== null) };
}
