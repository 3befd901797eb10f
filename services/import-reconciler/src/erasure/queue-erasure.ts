import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { EraseEmployeeRequest, EraseEmployeeResponse } from '@survey/proto/imports/v1/imports.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';

/**
 * Requests the erasure of an employee, which begins when no import is running (rule
 * DATA-ERASURE-1).
 * @throws `not_found`
 */
export const queueErasure =
  (pool: Pool, wake: () => void) =>
  async (request: EraseEmployeeRequest, call: CallContext): Promise<EraseEmployeeResponse> => {
    const accountId = accountOf(call);
    const { employee_id: employeeId, answers, may_return: mayReturn } = request;
    await inAccount(pool, accountId, async (tx) => {
      if (!(await insertErasure(tx, accountId, employeeId, answers)))
        throw notFound(`account ${accountId} has no employee ${employeeId}`);
      if (mayReturn) await allowReturn(tx, accountId, employeeId);
      await markDue(tx, 'imports', 'erase-employee', [accountId]);
    });
    wake();
    return {};
  };

// Returns false when the account has no such employee. Requests an erasure only once.
async function insertErasure(tx: Client, accountId: number, employeeId: number, answers: string): Promise<boolean> {
  await tx.query(
    `insert into imports.erased_employee (account_id, employee_id, answers)
     select e.account_id, e.id, $3::text from imports.employee e where e.account_id = $1::bigint and e.id = $2::bigint
     on conflict do nothing`,
    [accountId, employeeId, answers],
  );
  const { rowCount } = await tx.query(
    'select from imports.erased_employee where account_id = $1::bigint and employee_id = $2::bigint',
    [accountId, employeeId],
  );
  return rowCount === 1;
}

// Deletes what would recognise an erased employee who returns (rule DATA-ERASURE-4).
async function allowReturn(tx: Client, accountId: number, employeeId: number): Promise<void> {
  await tx.query(
    `update imports.erased_employee set may_return = true, import_id_hash = null, email_hash = null
     where account_id = $1::bigint and employee_id = $2::bigint`,
    [accountId, employeeId],
  );
}
