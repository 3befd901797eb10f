import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { acceptedWhenStarted, startWorkerProcess } from '../support/worker-process.ts';

const { stack, api, operator, db } = await startFileStack();
await stack.services['import-reconciler'][Symbol.asyncDispose]();
const POLLING = { timeout: 60_000, interval: 50 };
const SETTINGS = { SWEEP_INTERVAL_SECONDS: '0.2' };

let worker = startWorkerProcess('import-reconciler', stack, SETTINGS);
afterAll(() => worker.kill());

/** An account whose imports wait halfway, until its employee is let go. */
async function heldAccount() {
  const account = await operator.createAccount();
  await operator.importEnded(account.accountId, await post(account, 'Old'));
  const client = await db.connect();
  await client.query('begin');
  await client.query('select from imports.employee where account_id = $1 for update', [account.accountId]);
  let isHeld = true;
  const letGo = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('commit');
    client.release();
  };
  // Otherwise nothing could end after a failure.
  onTestFinished(letGo);
  return { ...account, letGo };
}

const post = ({ writeKey }: Account, lastname = 'New'): Promise<string> =>
  acceptedWhenStarted(() => api.post('/v1/employees/imports', { employees: [R(1, { lastname })] }, writeKey));

async function accountsRunning(): Promise<number[]> {
  const { rows } = await db.query<{ account: string }>(
    'select account_id as account from imports.attempt where in_progress order by account_id',
  );
  return rows.map(({ account }) => Number(account));
}

it('fails an import that ends its process twice, alone, with a reason and a mail, and applies the others [IMPORT-LIFECYCLE-RETRY-3]', async () => {
  const [deadly, neighbour] = [await heldAccount(), await heldAccount()];
  const deadlyUuid = await post(deadly);
  const neighbourUuid = await post(neighbour);
  await expect.poll(accountsRunning, POLLING).toEqual([deadly.accountId, neighbour.accountId]);
  await worker.kill();

  worker = startWorkerProcess('import-reconciler', stack, SETTINGS);
  await expect.poll(() => attemptsOf(deadlyUuid), POLLING).toEqual([{ number: 2, in_progress: true, deaths: 1 }]);
  // The neighbour does not run beside it.
  await sleep(1_000);
  expect(await attemptsOf(neighbourUuid)).toEqual([{ number: 1, in_progress: true, deaths: 0 }]);
  await worker.kill();

  // Both were running at the first death, so each runs alone, in the order in which they are due.
  await neighbour.letGo();
  worker = startWorkerProcess('import-reconciler', stack, SETTINGS);
  const outcome = await operator.importEnded(deadly.accountId, deadlyUuid);
  expect(outcome).toMatchObject({ state: 'failed', counts: { updated: 0 } });
  expect(outcome.reasons).toMatchObject([{ code: 'process_ended', count: 2 }]);
  const { rowCount: mails } = await db.query('select from imports.mail where import_uuid = $1', [deadlyUuid]);
  expect(mails).toBe(1);
  expect(await operator.importEnded(neighbour.accountId, neighbourUuid)).toMatchObject({
    state: 'applied',
    counts: { updated: 1 },
  });

  await worker.kill();
  worker = startWorkerProcess('import-reconciler', stack, SETTINGS);
  await deadly.letGo();
  const again = await post(deadly);
  expect(await operator.importEnded(deadly.accountId, again)).toMatchObject({ state: 'applied', counts: { updated: 1 } });
  expect((await operator.showImport(deadly.accountId, deadlyUuid)).state).toBe('failed');
}, 120_000);

it('does not count a process that is killed while it stops [IMPORT-LIFECYCLE-RETRY-3]', async () => {
  const account = await heldAccount();
  const importUuid = await post(account);
  for (let stops = 1; stops <= 3; stops++) {
    await expect.poll(() => attemptsOf(importUuid), POLLING).toEqual([{ number: stops, in_progress: true, deaths: 0 }]);
    if (worker.pid !== undefined) process.kill(worker.pid, 'SIGTERM');
    await expect.poll(() => attemptsOf(importUuid), POLLING).toEqual([{ number: stops, in_progress: false, deaths: 0 }]);
    await worker.kill();
    await db.query('update imports.import set next_attempt_at = now() where import_uuid = $1', [importUuid]);
    worker = startWorkerProcess('import-reconciler', stack, SETTINGS);
  }
  await account.letGo();
  expect(await operator.importEnded(account.accountId, importUuid)).toMatchObject({ state: 'applied', counts: { updated: 1 } });
}, 120_000);

async function attemptsOf(importUuid: string): Promise<unknown[]> {
  const { rows } = await db.query('select number, in_progress, deaths from imports.attempt where import_uuid = $1', [importUuid]);
  return rows;
}
