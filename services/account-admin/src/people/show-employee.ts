import type { Client, Pool } from '@survey/postgres/database.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Employee, ShowEmployeeRequest } from '@survey/proto/admin/v1/admin.ts';
import { withAccount } from '../with-account.ts';

const EMPLOYEE = `
select e.id as employee_id, e.import_id, e.created_via, e.is_deleted, e.role, e.language,
       case when s.id is not null
            then jsonb_build_object('employee_id', s.id, 'import_id', s.import_id, 'is_deleted', s.is_deleted) end as supervisor
from imports.employee e
left join imports.employee s on s.account_id = e.account_id and s.id = e.supervisor_id
where e.account_id = $1::bigint and (e.id = $2::bigint or e.import_id = $3::text and e.created_via = 'import_api')`;

/** Returns the employee with this id, or with this import_id of the import API. */
async function findEmployee(
  client: Client,
  accountId: number,
  { id, importId }: { id: number | null; importId: string | null },
): Promise<Employee | undefined> {
  const { rows } = await client.query<Employee>(EMPLOYEE, [accountId, id, importId]);
  return rows[0];
}

/**
 * Returns the origin, the language and the supervisor of an employee.
 * @throws `not_found`
 */
export const showEmployee =
  (pool: Pool) =>
  async ({ account_id: accountId, import_id, employee_id }: ShowEmployeeRequest, call: CallContext): Promise<Employee> => {
    if (import_id == null && employee_id == null) throw invalid('import_id or employee_id is required');
    return withAccount(pool, call, accountId, async (client) => {
      const employee = await findEmployee(client, accountId, { id: employee_id ?? null, importId: import_id ?? null });
      if (employee === undefined) throw notFound(`account ${accountId} has no such employee`);
      return employee;
    });
  };
