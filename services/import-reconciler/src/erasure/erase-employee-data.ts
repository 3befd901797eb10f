import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { enqueue } from '@survey/bus/outbox.ts';
import { allowLongStatements, inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { EmployeeErased } from '@survey/proto/events/v1/events.ts';
import { AccountBusyError, lockForFacts } from '../tables/lock-for-facts.ts';
import { deleteRestOfEmployee, emptyEmployee } from './empty-employee.ts';
import { isImportRunning } from '../tables/running-import.ts';

const BUSY_RETRY_MS = 1_000;
// Reports, shared options and results are found by reading those of the account.
const MAX_STATEMENT_MS = 60_000;

/**
 * Empties the employee's row while no import of the account is running, which makes the other
 * services erase theirs, then deletes what else this schema holds (rule DATA-ERASURE-1). Returns
 * when to try again while an import is running.
 */
export const eraseEmployee =
  (pool: Pool, wake: (accountId: number) => void) =>
  async ({ accountId, employeeId }: Erasure): Promise<number | undefined> => {
    try {
      if (!(await inAccount(pool, accountId, (tx) => empty(tx, accountId, employeeId)))) return BUSY_RETRY_MS;
    } catch (error) {
      if (error instanceof AccountBusyError) return BUSY_RETRY_MS;
      throw error;
    }
    wake(accountId);
    await failpoint('erase.employee_emptied');
    await inAccount(pool, accountId, async (tx) => {
      await allowLongStatements(tx, MAX_STATEMENT_MS);
      await deleteRestOfEmployee(tx, accountId, employeeId);
    });
    await failpoint('erase.results_deleted');
    return undefined;
  };

// Returns false while an import is running: its body contains the employee.
async function empty(tx: Client, accountId: number, employeeId: number): Promise<boolean> {
  await lockForFacts(tx, accountId);
  if (await isImportRunning(tx, accountId)) return false;
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  if (await emptyEmployee(tx, accountId, employeeId)) {
    const payload = EmployeeErased.encode({ account_id: accountId, employee_id: employeeId }).finish();
    await enqueue(tx, 'imports', accountId, [{ subject: 'events.employee.erased', payload }]);
  }
  await failpoint('erase.employee_changed');
  return true;
}
