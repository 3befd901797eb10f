import type { Client } from '@survey/postgres/database.ts';
import type { CurrentEmployee } from '../rules/plan-employee.ts';

// For an account and import_ids. One by one, and in an order that only the wanted index has: of an account that is new to the statistics PostgreSQL
// expects one row, and would as soon walk over all of them for each.
export const CURRENT_EMPLOYEES = `
  select e.id, e.position, e.import_id, e.email, e.email_key, e.firstname, e.lastname, e.language, e.role, e.is_deleted,
         e.option_ids, e.all_data, e.granted_option_ids, e.supervisor_id,
         coalesce(boss.is_deleted, false) as supervisor_is_deleted, e.content_hash is null as is_unsettled
  from unnest($2::text[]) as wanted (import_id)
  join lateral (
    select * from imports.employee
    where account_id = $1 and created_via = 'import_api' and import_id >= wanted.import_id order by import_id limit 1
  ) e on e.import_id = wanted.import_id
  left join lateral (
    select id, is_deleted from imports.employee where account_id = $1 and id >= e.supervisor_id order by id limit 1
  ) boss on boss.id = e.supervisor_id`;

/** The employees of the import API with these import_ids, deleted ones too. Employees created in any other way never match (ruling Z8). */
export async function currentEmployees(
  tx: Client,
  accountId: number,
  importIds: readonly string[],
): Promise<Map<string, CurrentEmployee>> {
  const { rows } = await tx.query<CurrentEmployee>(CURRENT_EMPLOYEES, [accountId, importIds]);
  return new Map(rows.map((row) => [row.import_id, row]));
}
