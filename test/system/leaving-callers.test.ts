import { setTimeout as sleep } from 'node:timers/promises';
import { toolOf } from '@survey/process/tool.ts';
import type { CheckedSnapshot, DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { connectUpstream, type CallOptions } from '@survey/rpc/upstream.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { holdAccount } from '../support/employees.ts';
import { startFileStack } from '../support/file-stack.ts';
import { records } from '../support/records.ts';
import { scrape } from '../support/scrape.ts';

const { db, operator, stack } = await startFileStack();
const { admin } = operator;
const imports = connectUpstream(ImportServiceDefinition, stack.services['import-reconciler'].address, toolOf('test'));
afterAll(() => imports[Symbol.dispose]());

const SERVICES = ['account-admin', 'import-reconciler'] as const;
// The deadline of the calls is a minute.
const WITHIN_MS = 20_000;

/** Options of a call that its caller can cancel. */
function leavingCaller(accountId?: number): { options: CallOptions; leave: () => void } {
  const caller = new AbortController();
  const by = { requestId: 'test', ...(accountId !== undefined && { accountId }) };
  return { options: { caller: by, deadlineMs: 60_000, signal: caller.signal }, leave: () => caller.abort() };
}

/** A message stream that never ends. */
async function* unfinished<T>(...messages: readonly T[]): AsyncGenerator<T> {
  yield* messages;
  await new Promise(() => {});
}

async function served(service: (typeof SERVICES)[number], method: string): Promise<number> {
  const samples = await scrape(stack.services[service].probeAddress);
  return samples
    .filter(({ name, labels }) => name === 'rpc_server_duration_seconds_count' && labels['method']?.endsWith(`/${method}`))
    .reduce((sum, { value }) => sum + value, 0);
}

async function busyConnections(): Promise<number> {
  const samples = (await Promise.all(SERVICES.map((name) => scrape(stack.services[name].probeAddress)))).flat();
  return samples
    .filter(({ name, labels }) => name === 'database_connections' && labels['state'] === 'busy')
    .reduce((sum, { value }) => sum + value, 0);
}

/** Cancels, and expects the handlers of the call to end and all connections to become idle. */
async function expectEnded(method: string, services: readonly (typeof SERVICES)[number][], leave: () => void): Promise<void> {
  const before = await Promise.all(services.map((service) => served(service, method)));
  leave();
  const ended = async (): Promise<void> => {
    expect(await Promise.all(services.map((service) => served(service, method)))).toEqual(before.map((count) => count + 1));
    expect(await busyConnections()).toBe(0);
  };
  await vi.waitFor(ended, { timeout: WITHIN_MS, interval: 50 });
}

const RECORDS = 30_000;
// Long ids: the outcome must exceed all buffers.
const manyRecords = (): unknown[] =>
  records(1, RECORDS).map((record) => ({ ...record, import_id: String(record.import_id).padEnd(250, 'x') }));

async function checked(accountId: number, employees: unknown[]): Promise<CheckedSnapshot> {
  const body = Buffer.from(JSON.stringify({ employees }));
  async function* upload() {
    yield { head: { account_id: accountId, content_encoding: '' } };
    for (let at = 0; at < body.length; at += 65_536) yield { chunk: body.subarray(at, at + 65_536) };
  }
  return admin.checkSnapshot(upload(), leavingCaller().options);
}

describe('a caller that leaves soon holds no handler and no connection', () => {
  it('in the middle of an import’s upload', async () => {
    const { accountId, writeKeyId: key_id } = await operator.createAccount();
    const { options, leave } = leavingCaller(accountId);
    const head = { import_uuid: crypto.randomUUID(), content_encoding: '', content_type: 'application/json', key_id };
    const upload = imports.startImport(unfinished({ head }, { chunk: Buffer.from('{"employees":[') }), options);
    const outcome = upload.catch(String);
    await sleep(100);
    await expectEnded('StartImport', ['import-reconciler'], leave);
    expect(await outcome).toContain('CANCELLED');
  });

  it('in the middle of the upload of a dry run', async () => {
    const { accountId } = await operator.createAccount();
    const { options, leave } = leavingCaller();
    const head = { account_id: accountId, content_encoding: '' };
    const messages = unfinished({ head }, { chunk: Buffer.from('{"employees":[') });
    const outcome = admin.checkSnapshot(messages, options).catch(String);
    await sleep(100);
    await expectEnded('CheckSnapshot', SERVICES, leave);
    expect(await outcome).toContain('CANCELLED');
  });

  it('after the check of many snapshots, of which it leaves only the newest four', async () => {
    const { accountId } = await operator.createAccount();
    const snapshots: string[] = [];
    for (let n = 0; n < 6; n += 1) snapshots.push((await checked(accountId, records(1, 3))).snapshot_uuid);
    for (const table of ['upload', 'payload']) {
      const { rows } = await db.query<{ import_uuid: string }>(`select import_uuid from imports.${table} where account_id = $1`, [
        accountId,
      ]);
      expect(rows.map(({ import_uuid }) => import_uuid).toSorted()).toEqual(snapshots.slice(2).toSorted());
    }
  });

  it('while a dry run waits for the account', async () => {
    const { accountId } = await operator.createAccount();
    const snapshot = await checked(accountId, records(1, 3));
    const hold = await holdAccount(db, accountId);
    const { options, leave } = leavingCaller();
    const parts = admin.dryRunImport({ account_id: accountId, snapshot }, options)[Symbol.asyncIterator]();
    const outcome = parts.next().catch(String);
    await sleep(100);
    await expectEnded('DryRunImport', SERVICES, leave);
    expect(await outcome).toContain('CANCELLED');
    await hold.letGo();
  });

  it('in the middle of a dry run’s outcome, and the next dry run begins at once', async () => {
    const { accountId } = await operator.createAccount();
    const snapshot = await checked(accountId, manyRecords());
    const { options, leave } = leavingCaller();
    const parts = admin.dryRunImport({ account_id: accountId, snapshot }, options)[Symbol.asyncIterator]();
    for (let part = await parts.next(); part.done !== true && part.value.outcome == null;) part = await parts.next();
    await expectEnded('DryRunImport', SERVICES, leave);
    const next: DryRunPart[] = [];
    const again = await checked(accountId, records(1, 3));
    for await (const part of admin.dryRunImport({ account_id: accountId, snapshot: again }, leavingCaller().options))
      next.push(part);
    expect(next.find(({ outcome }) => outcome != null)?.outcome).toMatchObject({ state: 'applied' });
  });

  it('while it watches an import', async () => {
    const account = await operator.createAccount();
    const hold = await holdAccount(db, account.accountId);
    const response = await fetch(`http://${stack.services.gateway.address}/v1/employees/imports`, {
      method: 'POST',
      headers: { 'x-api-key': account.writeKey, 'content-type': 'application/json' },
      body: JSON.stringify({ employees: records(1, 3) }),
    });
    const { import_uuid } = (await response.json()) as { import_uuid: string };
    const { options, leave } = leavingCaller();
    const stream = admin.watchImport({ account_id: account.accountId, import_uuid }, options);
    const watched = stream[Symbol.asyncIterator]();
    await watched.next();
    const before = await served('account-admin', 'WatchImport');
    leave();
    await vi.waitFor(async () => expect(await served('account-admin', 'WatchImport')).toBe(before + 1), WITHIN_MS);
    await hold.letGo();
  });
});

it('services stop within two seconds after callers have left in the middle of a dry run', async () => {
  const { accountId } = await operator.createAccount();
  const snapshot = await checked(accountId, manyRecords());
  const { options, leave } = leavingCaller();
  const parts = admin.dryRunImport({ account_id: accountId, snapshot }, options)[Symbol.asyncIterator]();
  for (let part = await parts.next(); part.done !== true && part.value.outcome == null;) part = await parts.next();
  leave();
  const startedAt = performance.now();
  await stack.services['import-reconciler'][Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(2 * WITHIN_MS);
});
