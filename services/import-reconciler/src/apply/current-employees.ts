import type { Client } from '@survey/postgres/database.ts';
import type { CurrentEmployee } from '../rules/plan-employee.ts';

// Parameters: account, import_ids, and the maximum options of an employee returned whole. The
// lateral joins in index order force index lookups: for an account without statistics PostgreSQL
// expects one row and would otherwise scan all employees for each import_id.
export const CURRENT_EMPLOYEES = `
  select e.id, e.position, e.import_id, e.email, e.email_key, e.firstname, e.lastname, e.language, e.role, e.is_deleted,
         case when not large then e.option_ids end as option_ids, e.all_data,
         case when not large then e.granted_option_ids end as granted_option_ids, e.supervisor_id,
         coalesce(boss.is_deleted, false) as supervisor_is_deleted, e.content_hash is null as is_hash_missing
  from unnest($2::text[]) as wanted (import_id)
  join lateral (
    select * from imports.employee
    where account_id = $1 and created_via = 'import_api' and import_id >= wanted.import_id order by import_id limit 1
  ) e on e.import_id = wanted.import_id
  cross join lateral (select cardinality(e.option_ids) + cardinality(e.granted_option_ids) > $3::int as large) l
  left join lateral (
    select id, is_deleted from imports.employee where account_id = $1 and id >= e.supervisor_id order by id limit 1
  ) boss on boss.id = e.supervisor_id`;

type Row = Omit<CurrentEmployee, 'option_ids' | 'granted_option_ids'> & {
  option_ids: readonly number[] | null;
  granted_option_ids: readonly number[] | null;
};

const MAX_OPTIONS_TOGETHER = 2_000;
const ANY_NUMBER = 2 ** 31 - 1;

/**
 * Returns the employees of the import API with these import_ids, deleted ones included. Employees
 * created in other ways never match (rule IMPORT-IDENTITY-4). Employees with thousands of options
 * are returned as 'large' and must be read one at a time: 100 of them would not fit into memory.
 */
export async function currentEmployees(
  tx: Client,
  accountId: number,
  importIds: readonly string[],
): Promise<Map<string, CurrentEmployee | 'large'>> {
  const { rows } = await tx.query<Row>(CURRENT_EMPLOYEES, [accountId, importIds, MAX_OPTIONS_TOGETHER]);
  return new Map(rows.map((row) => [row.import_id, isWhole(row) ? row : 'large']));
}

export async function currentEmployee(tx: Client, accountId: number, importId: string): Promise<CurrentEmployee | undefined> {
  const { rows } = await tx.query<Row>(CURRENT_EMPLOYEES, [accountId, [importId], ANY_NUMBER]);
  return rows.find(isWhole);
}

function isWhole(row: Row): row is CurrentEmployee {
  return row.option_ids !== null && row.granted_option_ids !== null;
}
