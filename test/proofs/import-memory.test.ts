import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { NODE_FLAGS } from '@survey/local/service-environments.ts';
import { afterAll, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { startWorkerProcess } from '../support/worker-process.ts';
import { R } from '../support/records.ts';

// Defaults of the chart for import-reconciler: `resources.memory` and `heapPercent`.
const POD_MIB = 512;
const HEAP_PERCENT = 50;
const RECORDS = 2;
const RECORD_BYTES = 7.9 * 2 ** 20;

const { stack, api, db, operator } = await startFileStack();
await stack.services['import-reconciler'][Symbol.asyncDispose]();
const worker = startWorkerProcess('import-reconciler', stack, {
  NODE_OPTIONS: [`--max-old-space-size=${(POD_MIB * HEAP_PERCENT) / 100}`, ...NODE_FLAGS['import-reconciler']].join(' '),
  SWEEP_INTERVAL_SECONDS: '0.5',
  LOG_LEVEL: 'silent',
});
afterAll(() => worker[Symbol.asyncDispose]());

it(
  'stays within the memory of its pod when three accounts import records of 8 MiB at the same time',
  { timeout: 600_000 },
  async () => {
    const attributes = filled((nth) => ({ name: `a${nth}`, value: { name: 'x' } }));
    const grants = filled((nth) => ({ attribute: { name: 'a1' }, value: { name: `v${nth}` } }));
    const bodies = [{ attributes }, { role: 'Manager', permissions: { grants } }].map((more) =>
      JSON.stringify({ employees: Array.from({ length: RECORDS }, (_, nth) => R(nth, more)) }),
    );
    const importAll = async (): Promise<void> => {
      const account = await operator.createAccount();
      for (const body of bodies) expect(await stateAtEnd(await post(account, body))).toBe('applied');
    };
    await Promise.all([importAll(), importAll(), importAll()]);
  },
);

it(
  'stays within the memory of its pod with a million values of attributes, and 300,000 new ones the next night',
  { timeout: 900_000 },
  async () => {
    const account = await operator.createAccount();
    for (const night of [0, 1]) {
      const body = gzipSync(JSON.stringify({ employees: Array.from({ length: EMPLOYEES }, (_, n) => withValues(n, night)) }));
      expect(await stateAtEnd(await post(account, body))).toBe('applied');
    }
    const { rows } = await db.query('select count(*)::integer as count from imports.attribute_option where account_id = $1', [
      account.accountId,
    ]);
    expect(rows).toEqual([{ count: EMPLOYEES * (ATTRIBUTES + NEW_PER_NIGHT) }]);
  },
);

const EMPLOYEES = 100_000;
const ATTRIBUTES = 10;
const NEW_PER_NIGHT = 3;

/** A record whose first attributes have a new value each night. */
function withValues(n: number, night: number) {
  const attributes = Array.from({ length: ATTRIBUTES }, (_, nth) => ({
    name: `a${nth}`,
    value: { name: `${nth < NEW_PER_NIGHT ? night : 0}/${n}` },
  }));
  return R(n, { attributes });
}

/** Returns as many items as fit into the largest allowed record. */
function filled<T>(item: (nth: number) => T): T[] {
  const items: T[] = [];
  for (let bytes = 0, nth = 0; bytes < RECORD_BYTES; nth += 1) {
    const next = item(nth);
    bytes += JSON.stringify(next).length + 1;
    items.push(next);
  }
  return items;
}

async function post({ writeKey }: Account, body: string | Buffer): Promise<string> {
  for (;;) {
    const response = await api.post(
      '/v1/employees/imports',
      body,
      writeKey,
      typeof body === 'string' ? {} : { 'content-encoding': 'gzip' },
    );
    if (response.status === 202) return String(Object(response.body).import_uuid);
    expect(response.status).toBe(503);
    await sleep(100);
  }
}

// Read from the table: showing an import lists its 100,000 dropped grants each time.
async function stateAtEnd(importUuid: string): Promise<unknown> {
  for (;;) {
    // NaN once the process has run out of heap.
    expect(await peakMib()).toBeLessThan(POD_MIB);
    const { rows } = await db.query('select state from imports.import where import_uuid = $1', [importUuid]);
    const { state } = Object(rows[0]);
    if (state !== 'accepted') return state;
    await sleep(200);
  }
}

// Without the pages of the program's files: the kernel drops these before a pod is out of memory.
async function peakMib(): Promise<number> {
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8');
  const kib = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return (kib('VmHWM') - kib('RssFile')) / 1_024;
}
