import type { AccountWork } from '@survey/bus/account-work.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';

/** Deletes the sign-ins of erased employees. */
export function erasureWork(pool: Pool): AccountWork {
  return employeeErasureWork(pool, 'admin', ({ accountId, employeeId }) =>
    inAccount(pool, accountId, async (client) => {
      await client.query('delete from admin.identity where account_id = $1::bigint and employee_id = $2::bigint', [
        accountId,
        employeeId,
      ]);
      return undefined;
    }),
  );
}
