import { EMPLOYEES_PAGE } from '@survey/export/employees/employees-page.ts';
import { expect, it } from 'vitest';
import { arrangeEmployees } from '../support/employees.ts';
import { startFileStack } from '../support/file-stack.ts';
import { keptPlanOf } from '../support/query-plan.ts';

const { db, operator } = await startFileStack();
const EMPLOYEES = 20_000;
const LIMIT = 1_000;
// Ids covered by one stored count: a page starts within them.
const BLOCK = 2_048;
const { accountId } = await operator.createAccount();
// Another account's rows are in the same table.
const other = await operator.createAccount();
await arrangeEmployees(db, other.accountId, EMPLOYEES);
await arrangeEmployees(db, accountId, EMPLOYEES);

it.each(['without statistics', 'with statistics'])(
  'reads little more employees than the page shows, at any depth, %s',
  async (kind) => {
    if (kind === 'with statistics') await db.query('analyze imports.employee, imports.employee_block');
    const planAt = (offset: number) => keptPlanOf(db, accountId, EMPLOYEES_PAGE, [accountId, offset, LIMIT], 'employee');
    const first = await planAt(0);
    for (const offset of [0, EMPLOYEES / 2, EMPLOYEES - LIMIT]) {
      const { blocks, scans } = await planAt(offset);
      expect(scans).toMatchObject([{ 'Node Type': 'Index Scan', 'Index Name': 'employee_pkey' }]);
      expect(scans[0]?.['Actual Rows']).toBeLessThan(LIMIT + BLOCK);
      expect(blocks).toBeLessThanOrEqual(((LIMIT + BLOCK) / LIMIT) * first.blocks);
    }
    for (const offset of [EMPLOYEES, 2 ** 31]) expect((await planAt(offset)).scans).toMatchObject([{ 'Actual Rows': 0 }]);
  },
);
