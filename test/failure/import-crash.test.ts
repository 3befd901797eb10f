import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { roleUrl } from '@survey/local/constellation.ts';
import { afterAll, expect, inject, it } from 'vitest';
import { startFileStack } from '../file-stack.ts';

// import-reconciler as a process of its own, so that it can be killed: the gateway goes on calling the same address.
const MAIN = fileURLToPath(new URL('../../services/import-reconciler/src/main.ts', import.meta.url));
const EMPLOYEES = 20_000;

const { stack, api, operator, db } = await startFileStack();
const address = stack.services['import-reconciler'].address;
await stack.services['import-reconciler'][Symbol.asyncDispose]();
const { rolePasswords } = inject('postgres');
let worker = startWorker();
// Also when the run is interrupted.
process.once('exit', () => worker.kill('SIGKILL'));
afterAll(async () => {
  worker.kill('SIGTERM');
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
});

function startWorker(): ChildProcess {
  const environment = {
    ...process.env,
    DATABASE_URL: roleUrl(stack.databaseUrl, 'survey_imports', rolePasswords.survey_imports),
    NATS_URL: stack.natsUrl,
    GRPC_LISTEN: address,
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
  };
  return spawn(process.execPath, [MAIN], { env: environment, stdio: 'inherit' });
}

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

async function post(writeKey: string, body: Buffer): Promise<{ status: number; importUuid: string }> {
  for (;;) {
    const { status, body: answer } = await api.post('/v1/employees/imports', body, writeKey, { 'content-encoding': 'gzip' });
    // While the worker starts, the gateway says so.
    if (status !== 503) return { status, importUuid: (answer as { import_uuid?: string }).import_uuid ?? '' };
    await sleep(100);
  }
}

async function untilApplying(): Promise<void> {
  const statement =
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and query ~ '^(copy planned|insert into imports)'";
  while ((await db.query<{ n: number }>(statement)).rows[0]?.n === 0) await sleep(2);
}

it('J14 J16 an import whose worker is killed half way is applied once by the next one, and the account can import again', async () => {
  const account = await operator.createAccount();
  const body = snapshot();
  const { status, importUuid } = await post(account.writeKey, body);
  expect(status).toBe(202);
  await untilApplying();
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  expect((await operator.showImport(account.accountId, importUuid)).state).toBe('accepted');

  worker = startWorker();
  const outcome = await operator.importEnded(account.accountId, importUuid);
  expect(outcome).toMatchObject({ state: 'applied', counts: { created: EMPLOYEES, updated: 0, skipped: 0, offboarded: 0 } });
  const { rows: events } = await db.query(
    "select from imports.outbox where account_id = $1 and subject = 'events.import.applied'",
    [account.accountId],
  );
  expect(events).toHaveLength(1);

  const again = await post(account.writeKey, body);
  expect(again.status).toBe(202);
  expect(await operator.importEnded(account.accountId, again.importUuid)).toMatchObject({
    state: 'applied',
    counts: { created: 0, updated: 0, unchanged: EMPLOYEES },
  });
});
