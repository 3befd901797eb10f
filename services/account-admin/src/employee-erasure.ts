import type { AccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { recordErasure } from '@survey/bus/deleted-accounts.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { identityOfErased } from './sql/erasures.ts';

const EMAIL_KEY = `
select imports.email_key(email) as email_key from imports.erased_employee where account_id = $1::bigint and employee_id = $2::bigint`;

const DELETE_INVITATIONS = 'delete from admin.invitation where account_id = $1::bigint and email_key = $2::text';

/**
 * Deletes the sign-ins and invitations of erased employees, and records those erasures that were
 * requested.
 */
export function erasureWork(pool: Pool, bus: BusConnection): AccountWork {
  return employeeErasureWork(pool, 'admin', async ({ accountId, employeeId }) => {
    const identity = await inAccount(pool, accountId, async (client) => {
      await client.query('delete from admin.identity where account_id = $1::bigint and employee_id = $2::bigint', [
        accountId,
        employeeId,
      ]);
      const { rows } = await client.query<{ email_key: string | null }>(EMAIL_KEY, [accountId, employeeId]);
      await client.query(DELETE_INVITATIONS, [accountId, rows[0]?.email_key]);
      return identityOfErased(client, accountId, employeeId);
    });
    if (identity !== undefined) await recordErasure(bus, accountId, employeeId, identity);
    return undefined;
  });
}
