import { INITIATIVES } from '@survey/export/lists/list-initiatives.ts';
import { expect, it } from 'vitest';
import { arrangeEmployees } from '../support/employees.ts';
import { initiative, openIntake, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { planOf } from '../support/query-plan.ts';

const { db, operator, stack } = await startFileStack();
const { publishFacts } = await openIntake(stack);
const EMPLOYEES = 2_000;
const INITIATIVES_STATED = 50;
const { accountId } = await operator.createAccount();
await arrangeEmployees(db, accountId, EMPLOYEES);
await publishFacts(
  accountId,
  'initiative',
  Array.from({ length: INITIATIVES_STATED }, (_, n) =>
    initiative(uuidOf(n + 1), { assignee: { id: 1_000_000_000 + n }, creator: { import_id: `E${n + 1}` } }),
  ),
);

it.each(['without statistics', 'with statistics'])(
  'finds the people of initiatives one by one, not in the whole workforce, %s',
  async (kind) => {
    if (kind === 'with statistics') await db.query('analyze imports.employee, export.initiative');
    const statement = `select ${INITIATIVES.fields} from ${INITIATIVES.matching} order by ${INITIATIVES.order}`;
    const { scans } = await planOf(db, accountId, statement, [accountId, null], 'employee');
    const rows = scans.map((scan) => (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)) * scan['Actual Loops']);
    expect(Math.max(...rows)).toBeLessThanOrEqual(INITIATIVES_STATED);
  },
);
