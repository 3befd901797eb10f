import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { acceptedWhenStarted, startWorkerProcess } from '../support/worker-process.ts';

const EMPLOYEES = 20_000;

const { stack, api, operator, db } = await startFileStack();
await stack.services['import-reconciler'][Symbol.asyncDispose]();
let worker = startWorkerProcess('import-reconciler', stack);
afterAll(() => worker[Symbol.asyncDispose]());

function snapshot(): Buffer {
  const employees = Array.from({ length: EMPLOYEES }, (_, i) => ({
    import_id: `E${i}`,
    email: `e${i}@example.com`,
    firstname: `F${i}`,
    lastname: `L${i}`,
    attributes: [{ name: 'Department', value: { name: `D${i % 50}` } }],
  }));
  return gzipSync(JSON.stringify({ employees }), { level: 1 });
}

async function post(writeKey: string, body: Buffer): Promise<string> {
  const send = () => api.post('/v1/employees/imports', body, writeKey, { 'content-encoding': 'gzip' });
  return acceptedWhenStarted(send);
}

async function untilApplying(): Promise<void> {
  const statement =
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and query ~ '^(copy planned|insert into imports)'";
  await expect.poll(async () => (await db.query<{ n: number }>(statement)).rows[0]?.n, { interval: 2 }).toBeGreaterThan(0);
}

it('applies an import once and accepts the next one when a worker is killed halfway [IMPORT-LIFECYCLE-ATOMIC-2, IMPORT-LIFECYCLE-ONE-2]', async () => {
  const account = await operator.createAccount();
  const body = snapshot();
  const importUuid = await post(account.writeKey, body);
  await untilApplying();
  await worker.kill();
  expect((await operator.showImport(account.accountId, importUuid)).state).toBe('accepted');

  worker = startWorkerProcess('import-reconciler', stack);
  const outcome = await operator.importEnded(account.accountId, importUuid);
  expect(outcome).toMatchObject({ state: 'applied', counts: { created: EMPLOYEES, updated: 0, skipped: 0, offboarded: 0 } });
  const { rows: events } = await db.query(
    "select from imports.outbox where account_id = $1 and subject = 'events.import.applied'",
    [account.accountId],
  );
  expect(events).toHaveLength(1);

  const again = await post(account.writeKey, body);
  expect(await operator.importEnded(account.accountId, again)).toMatchObject({
    state: 'applied',
    counts: { created: 0, updated: 0, unchanged: EMPLOYEES },
  });
});
