import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { EraseEmployeeRequest, EraseEmployeeResponse } from '@survey/proto/imports/v1/imports.ts';
import { allowReturn, requestErasure } from './find-erased.ts';

/**
 * Requests the erasure of an employee, which begins when no import is running (rule
 * DATA-ERASURE-1).
 * @throws `not_found`
 */
export const eraseEmployee =
  (pool: Pool, wake: () => void) =>
  async (request: EraseEmployeeRequest, call: CallContext): Promise<EraseEmployeeResponse> => {
    const accountId = accountOf(call);
    const { employee_id: employeeId, answers, may_return: mayReturn } = request;
    await inAccount(pool, accountId, async (tx) => {
      if (!(await requestErasure(tx, accountId, employeeId, answers)))
        throw notFound(`account ${accountId} has no employee ${employeeId}`);
      if (mayReturn) await allowReturn(tx, accountId, employeeId);
      await markDue(tx, 'imports', 'erase-employee', [accountId]);
    });
    wake();
    return {};
  };
