import type { Client } from '@survey/postgres/database.ts';
import type { CurrentEmployee } from '../rules/plan-employee.ts';

/** The employees of the import API with these import_ids, deleted ones too. Employees created in any other way never match (ruling Z8). */
export async function currentEmployees(
  tx: Client,
  accountId: number,
  importIds: readonly string[],
): Promise<Map<string, CurrentEmployee>> {
  const { rows } = await tx.query<CurrentEmployee>(
    `select e.id, e.position, e.import_id, e.email, e.email_key, e.firstname, e.lastname, e.language, e.role, e.is_deleted,
            e.option_ids, e.all_data, e.granted_option_ids, e.supervisor_id,
            coalesce(boss.is_deleted, false) as supervisor_is_deleted, e.content_hash is null as is_unsettled
     from imports.employee e
     left join imports.employee boss on boss.account_id = $1 and boss.id = e.supervisor_id
     where e.account_id = $1 and e.created_via = 'import_api' and e.import_id = any($2::text[])`,
    [accountId, importIds],
  );
  return new Map(rows.map((row) => [row.import_id, row]));
}
