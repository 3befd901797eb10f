import { connectUpstream } from '@survey/rpc/upstream.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';

const { stack, db, operator } = await startFileStack();
const exporting = connectUpstream(ExportServiceDefinition, stack.services.export.address, toolOf('test'));
afterAll(() => exporting[Symbol.dispose]());
const { accountId } = await operator.createAccount();

const DEADLINE_MS = 1_000;
const page = { limit: 10, offset: 0, accept_gzip: false, attribute_id: 1 };

// SQL statements of reads that wait for the table.
async function waiting(): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `select count(*) from pg_stat_activity where datname = current_database() and application_name = 'export' and wait_event_type = 'Lock'`,
  );
  return Number(rows[0]?.count);
}

it.each([
  ['listEmployees', 'imports.employee'],
  ['listSurveys', 'export.survey'],
  ['listQuestions', 'export.question'],
  ['listSurveyAssignments', 'export.assignment'],
  ['listInitiatives', 'export.initiative'],
  ['listSurveyCycles', 'export.cycle'],
  ['listAttributes', 'imports.attribute'],
  ['listAttributeOptions', 'imports.attribute'],
] as const)('%s ends its statement when the deadline of the call has passed [30]', async (method, table) => {
  const holder = await db.connect();
  try {
    await holder.query('begin');
    await holder.query(`lock table ${table} in access exclusive mode`);
    const call = exporting[method](page, { caller: { requestId: 'test', accountId }, deadlineMs: DEADLINE_MS });
    const outcome = call.then(
      () => 'answered',
      () => 'failed',
    );
    await expect.poll(waiting).toBe(1);
    expect(await outcome).toBe('failed');
    await expect.poll(waiting).toBe(0);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});
