import type { Client } from '@survey/postgres/database.ts';
import type { Employee } from '@survey/proto/admin/v1/admin.ts';

const EMPLOYEE = `
select e.id as employee_id, e.import_id, e.created_via, e.is_deleted, e.role, e.language,
       case when s.id is not null
            then jsonb_build_object('employee_id', s.id, 'import_id', s.import_id, 'is_deleted', s.is_deleted) end as supervisor
from imports.employee e
left join imports.employee s on s.account_id = e.account_id and s.id = e.supervisor_id
where e.account_id = $1::bigint and (e.id = $2::bigint or e.import_id = $3::text and e.created_via = 'import_api')`;

/** Returns the employee with this id, or with this import_id of the import API. */
export async function findEmployee(
  client: Client,
  accountId: number,
  { id, importId }: { id: number | null; importId: string | null },
): Promise<Employee | undefined> {
  const { rows } = await client.query<Employee>(EMPLOYEE, [accountId, id, importId]);
  return rows[0];
}
