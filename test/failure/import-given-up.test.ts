import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { holdAccount } from '../employees.ts';
import { eventsOf } from '../events.ts';
import { startFileStack } from '../file-stack.ts';
import { startReconciler } from '../reconciler-process.ts';
import { R, records } from '../records.ts';

const { stack, api, operator, db } = await startFileStack();
await stack.services['import-reconciler'][Symbol.asyncDispose]();
const bus = await connect({ servers: stack.natsUrl });
afterAll(() => bus.close());

const accepted = z.strictObject({ import_uuid: z.uuid() });
const MOST_ATTEMPTS = 5;
const PATIENCE = { timeout: 60_000, interval: 50 };

it('J16 an import that kills its worker five times is failed: one event, nothing changed, and the account can import again', async () => {
  let worker = startReconciler(stack);
  const account = await operator.createAccount();
  // Each worker gets as far as the lock of the account.
  const hold = await holdAccount(db, account.accountId);
  const importUuid = await post(account.writeKey, [R(1)]);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    await expect.poll(() => isWaiting(importUuid, attempt), PATIENCE).toBe(true);
    await worker.kill();
    worker = startReconciler(stack);
  }
  await using _last = worker;
  await expect.poll(async () => (await operator.showImport(account.accountId, importUuid)).state, PATIENCE).toBe('failed');
  const failed = await operator.showImport(account.accountId, importUuid);
  expect(failed.cancelReasons).toEqual(['given up after 5 attempts']);
  await hold.letGo();

  const events = await eventsOf(db, bus, account.accountId);
  expect(events.map(({ what, sequence }) => [what, sequence])).toEqual([
    ['import.accepted', 1],
    ['import.failed', 2],
  ]);
  const payload = events[1]?.payload ?? new Uint8Array();
  expect(ImportEvent.decode(payload)).toMatchObject({ account_id: account.accountId, import_uuid: importUuid, state: 'failed' });
  const next = await post(account.writeKey, records(1, 2));
  expect(await operator.importEnded(account.accountId, next)).toMatchObject({ state: 'applied', counts: { created: 2 } });
}, 240_000);

async function post(writeKey: string, employees: readonly unknown[]): Promise<string> {
  for (;;) {
    const { status, body } = await api.post('/v1/employees/imports', { employees }, writeKey);
    if (status === 202) return accepted.parse(body).import_uuid;
    // While the worker starts, the gateway says so.
    expect(status).toBe(503);
    await sleep(100);
  }
}

// Whether a worker waits for the account in this attempt.
async function isWaiting(importUuid: string, attempt: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from pg_stat_activity a, imports.import i
     where a.datname = current_database() and a.wait_event_type = 'Lock' and a.query ~ 'from imports.account_state .* for update'
       and i.import_uuid = $1 and i.attempts = $2`,
    [importUuid, attempt],
  );
  return rowCount === 1;
}
