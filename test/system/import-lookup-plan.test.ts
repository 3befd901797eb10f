import { CURRENT_EMPLOYEES } from '@survey/import-reconciler/apply/current-employees.ts';
import { expect, it } from 'vitest';
import { arrangeEmployees } from '../support/employees.ts';
import { startFileStack } from '../support/file-stack.ts';
import { planOf } from '../support/query-plan.ts';

const { db, operator } = await startFileStack();
const EMPLOYEES = 20_000;

async function importedAccount(): Promise<number> {
  const { accountId } = await operator.createAccount();
  await arrangeEmployees(db, accountId, EMPLOYEES);
  await db.query(
    `update imports.employee e set created_via = 'import_api', import_id = 'HR-' || position,
       supervisor_id = (select max(id) from imports.employee where account_id = $1)
     where account_id = $1`,
    [accountId],
  );
  return accountId;
}

it('looks employees up one by one in an account that the statistics do not know yet', async () => {
  await importedAccount();
  await db.query('analyze imports.employee');
  const newcomer = await importedAccount();
  const wanted = Array.from({ length: 100 }, (_, i) => `HR-${i * 100 + 1}`);
  const { scans } = await planOf(db, newcomer, CURRENT_EMPLOYEES, [newcomer, wanted, 1_000], 'employee');
  expect(scans).toMatchObject([
    { 'Index Name': 'employee_by_import_id', 'Actual Rows': 1, 'Actual Loops': 100 },
    { 'Index Name': 'employee_pkey', 'Actual Rows': 1, 'Actual Loops': 100 },
  ]);
});
