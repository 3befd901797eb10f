import { connect } from '@nats-io/transport-node';
import { ImportEvent } from '@survey/proto/events/v1/events.ts';
import { afterAll, expect, it } from 'vitest';
import { holdAccount } from '../support/employees.ts';
import { eventsOf } from '../support/events.ts';
import { startFileStack } from '../support/file-stack.ts';
import { acceptedWhenStarted, startWorkerProcess } from '../support/worker-process.ts';
import { R, records } from '../support/records.ts';

const { stack, api, operator, db } = await startFileStack();
await stack.services['import-reconciler'][Symbol.asyncDispose]();
const bus = await connect({ servers: stack.natsUrl });
afterAll(() => bus.close());

const KILLS = 5;
const POLLING = { timeout: 60_000, interval: 50 };

it('applies an import after five killed workers, and fails one after a day of attempts with one event and no change [IMPORT-LIFECYCLE-RETRY-2, IMPORT-LIFECYCLE-ONE-2]', async () => {
  let worker = startWorkerProcess('import-reconciler', stack);
  const account = await operator.createAccount();
  // Each worker is blocked at the lock of the account.
  const hold = await holdAccount(db, account.accountId);
  const importUuid = await post(account.writeKey, [R(1)]);
  for (let attempt = 1; attempt <= KILLS; attempt++) {
    await expect.poll(() => isWaiting(importUuid, attempt), POLLING).toBe(true);
    await worker.kill();
    await makeDue(importUuid);
    worker = startWorkerProcess('import-reconciler', stack);
  }
  await expect.poll(() => isWaiting(importUuid, KILLS + 1), POLLING).toBe(true);
  await hold.letGo();
  expect(await operator.importEnded(account.accountId, importUuid)).toMatchObject({ state: 'applied', counts: { created: 1 } });

  const holdAgain = await holdAccount(db, account.accountId);
  const overdue = await post(account.writeKey, records(1, 2));
  await expect.poll(() => isWaiting(overdue, 1), POLLING).toBe(true);
  await worker.kill();
  await db.query(
    "update imports.import set attempts = 100, first_attempt_at = now() - interval '25 hours' where import_uuid = $1",
    [overdue],
  );
  await makeDue(overdue);
  worker = startWorkerProcess('import-reconciler', stack);
  await using _last = worker;
  await expect.poll(async () => (await operator.showImport(account.accountId, overdue)).state, POLLING).toBe('failed');
  await holdAgain.letGo();
  const events = (await eventsOf(db, bus, account.accountId)).filter(({ what }) => what.startsWith('import.'));
  expect(events.map(({ what, sequence }) => [what, sequence])).toEqual([
    ['import.accepted', 1],
    ['import.applied', 3],
    ['import.accepted', 4],
    ['import.failed', 5],
  ]);
  const payload = events[3]?.payload ?? new Uint8Array();
  expect(ImportEvent.decode(payload)).toMatchObject({ account_id: account.accountId, import_uuid: overdue, state: 'failed' });
  const next = await post(account.writeKey, records(1, 2));
  expect(await operator.importEnded(account.accountId, next)).toMatchObject({ state: 'applied', counts: { created: 1 } });
}, 240_000);

function makeDue(importUuid: string): Promise<unknown> {
  return db.query('update imports.import set next_attempt_at = now() where import_uuid = $1', [importUuid]);
}

function post(writeKey: string, employees: readonly unknown[]): Promise<string> {
  return acceptedWhenStarted(() => api.post('/v1/employees/imports', { employees }, writeKey));
}

// Returns whether a worker waits for the account lock in this attempt.
async function isWaiting(importUuid: string, attempt: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from pg_stat_activity a, imports.import i
     where a.datname = current_database() and a.wait_event_type = 'Lock' and a.query ~ 'from imports.account_state .* for update'
       and i.import_uuid = $1 and i.attempts = $2`,
    [importUuid, attempt],
  );
  return rowCount === 1;
}
