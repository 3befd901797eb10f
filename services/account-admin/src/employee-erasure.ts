import type { AccountWork } from '@survey/bus/account-work.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';

const DELETE_INVITATIONS = `
delete from admin.invitation i using imports.erased_employee x
where i.account_id = $1::bigint and x.account_id = i.account_id and x.employee_id = $2::bigint
  and i.email_key = imports.email_key(x.email)`;

/** Deletes the sign-ins and invitations of erased employees. */
export function erasureWork(pool: Pool): AccountWork {
  return employeeErasureWork(pool, 'admin', ({ accountId, employeeId }) =>
    inAccount(pool, accountId, async (client) => {
      await client.query('delete from admin.identity where account_id = $1::bigint and employee_id = $2::bigint', [
        accountId,
        employeeId,
      ]);
      await client.query(DELETE_INVITATIONS, [accountId, employeeId]);
      return undefined;
    }),
  );
}
