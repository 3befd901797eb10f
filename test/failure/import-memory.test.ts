import { readFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { startFileStack } from '../file-stack.ts';
import { startReconciler } from '../reconciler-process.ts';
import { R } from '../records.ts';
import type { Account } from '../accounts.ts';

// The limits of the chart: a pod of 384 MiB, 70 % of it for the heap.
const POD_MIB = 384;
const NODE_OPTIONS = `--max-old-space-size=${Math.floor(0.7 * POD_MIB)} --max-semi-space-size=8`;

const { stack, api, operator } = await startFileStack();
await stack.services['import-reconciler'][Symbol.asyncDispose]();
const worker = startReconciler(stack, { NODE_OPTIONS });
afterAll(() => worker[Symbol.asyncDispose]());

const RECORDS = 3;
const RECORD_BYTES = 7.9 * 2 ** 20;

/** As many items as fit into the longest record. */
function filled<T>(item: (nth: number) => T): T[] {
  const items: T[] = [];
  for (let bytes = 0, nth = 0; bytes < RECORD_BYTES; nth += 1) {
    const next = item(nth);
    bytes += JSON.stringify(next).length + 1;
    items.push(next);
  }
  return items;
}

const attributes = filled((nth) => ({ name: `a${nth}`, value: { name: 'x' } }));
const grants = filled((nth) => ({ attribute: { name: 'a1' }, value: { name: `v${nth}` } }));

async function post({ writeKey }: Account, body: string): Promise<string> {
  for (;;) {
    const answer = await api.post('/v1/employees/imports', body, writeKey);
    if (answer.status === 202) return String(Object(answer.body).import_uuid);
    expect(answer.status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stateAtEnd({ accountId }: Account, importUuid: string): Promise<string> {
  const ended = async (): Promise<string> => (await operator.showImport(accountId, importUuid)).state;
  await expect.poll(ended, { timeout: 240_000, interval: 200 }).not.toBe('accepted');
  return ended();
}

async function peakMib(): Promise<number> {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${worker.pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1_024;
}

it(
  'stays within the memory of its pod when three accounts import records of 8 MiB again and again',
  { timeout: 600_000 },
  async () => {
    const bodies = [
      JSON.stringify({ employees: Array.from({ length: RECORDS }, (_, n) => R(n, { attributes })) }),
      JSON.stringify({ employees: Array.from({ length: RECORDS }, (_, n) => R(n, { role: 'Manager', permissions: { grants } })) }),
      JSON.stringify({ employees: Array.from({ length: RECORDS }, (_, n) => R(n, { lastname: 'Small' })) }),
      JSON.stringify({ employees: Array.from({ length: RECORDS }, (_, n) => R(n, { attributes })) }),
    ];
    const importAll = async (): Promise<void> => {
      const account = await operator.createAccount();
      for (const [n, body] of bodies.entries()) {
        const t = performance.now();
        const uuid = await post(account, body);
        const t2 = performance.now();
        const state = await stateAtEnd(account, uuid);
        console.log(
          account.accountId,
          n,
          state,
          Math.round(t2 - t),
          Math.round(performance.now() - t2),
          Math.round(await peakMib()),
        );
        expect(state).toBe('applied');
      }
    };
    await Promise.all([importAll(), importAll(), importAll()]);
    expect(await peakMib()).toBeLessThan(POD_MIB);
  },
);
