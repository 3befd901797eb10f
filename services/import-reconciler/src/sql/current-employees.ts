import type { Client } from '@survey/postgres/database.ts';
import type { CurrentEmployee } from '../rules/plan-employee.ts';

/** The employees of the import API with these import_ids, deleted ones too. Employees created in any other way never match (ruling Z8). */
export async function currentEmployees(
  tx: Client,
  accountId: number,
  importIds: readonly string[],
): Promise<Map<string, CurrentEmployee>> {
  const { rows } = await tx.query<CurrentEmployee>(
    `select id, position, import_id, email, email_key, firstname, lastname, language, role, is_deleted,
            option_ids, all_data, granted_option_ids
     from imports.employee
     where account_id = $1 and created_via = 'import_api' and import_id = any($2::text[])`,
    [accountId, importIds],
  );
  return new Map(rows.map((row) => [row.import_id, row]));
}
