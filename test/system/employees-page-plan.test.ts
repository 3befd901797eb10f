import { EMPLOYEES_PAGE } from '@survey/export/sql/employees-page.ts';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { arrangeEmployees } from '../employees.ts';
import { startFileStack } from '../file-stack.ts';

const { db, operator } = await startFileStack();
const EMPLOYEES = 20_000;
const LIMIT = 1_000;
const { accountId } = await operator.createAccount();
// Another account's rows lie in the same table.
const other = await operator.createAccount();
await arrangeEmployees(db, other.accountId, EMPLOYEES);
await arrangeEmployees(db, accountId, EMPLOYEES);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}
const explained = z.tuple([
  z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: z.custom<PlanNode>((plan) => typeof plan === 'object') })]) }),
]);

// As the export service sees it, row-level security included.
async function planAt(offset: number): Promise<{ blocks: number; scans: PlanNode[] }> {
  const client = await db.connect();
  try {
    await client.query('begin; set local role survey_export');
    await client.query(`select set_config('survey.account_id', $1, true)`, [String(accountId)]);
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${EMPLOYEES_PAGE}`, [accountId, offset, LIMIT]);
    const [
      {
        'QUERY PLAN': [{ Plan: plan }],
      },
    ] = explained.parse(rows);
    return { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scans: scansOf(plan) };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

function scansOf(node: PlanNode): PlanNode[] {
  const own = node['Relation Name'] === 'employee' ? [node] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

it.each(['without statistics', 'with statistics'])(
  'reads no more employees than the page shows, at any depth, %s',
  async (kind) => {
    if (kind === 'with statistics') await db.query('analyze imports.employee');
    const first = await planAt(0);
    for (const offset of [0, EMPLOYEES / 2, EMPLOYEES - LIMIT, EMPLOYEES, 2 ** 31]) {
      const { blocks, scans } = await planAt(offset);
      expect(scans).toMatchObject([{ 'Node Type': 'Index Scan', 'Index Name': 'employee_by_position' }]);
      expect(scans[0]?.['Actual Rows']).toBe(Math.max(0, Math.min(LIMIT, EMPLOYEES - offset)));
      expect(blocks).toBeLessThanOrEqual(1.25 * first.blocks);
    }
  },
);
