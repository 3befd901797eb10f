import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Employee, ShowEmployeeRequest } from '@survey/proto/admin/v1/admin.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { findEmployee } from '../sql/employee.ts';

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
