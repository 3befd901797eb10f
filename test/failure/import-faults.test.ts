import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startFaultyStack, type FaultyStack } from './faulty-stack.ts';
import { sendLateRequests } from './late-requests.ts';
import { hitEveryStep } from './failpoint-cases.ts';
import { race } from './races.ts';
import { runRandomFaults } from './random-faults.ts';

// Servers of its own, which are killed: never those that other files stand on.
const folder = await mkdtemp(join(tmpdir(), 'survey-faults-'));
// One after the other: a busy machine has enough to do with the processes of one.
const stacks: readonly FaultyStack[] = [
  await startFaultyStack({ folder: join(folder, '1') }),
  await startFaultyStack({ folder: join(folder, '2') }),
];
const [stack = never()] = stacks;
afterAll(async () => {
  for (const one of stacks) await one[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const SEED = Number(process.env['FAULT_SEED'] ?? 1);
const LIMIT_MS = 600_000;

function never(): never {
  throw new Error('no stack');
}

it(
  'killed, paused or cut off from PostgreSQL at any named step, an import ends as if nothing had failed [IMPORT-LIFECYCLE-ATOMIC-2, IMPORT-LIFECYCLE-ONE-2]',
  { timeout: LIMIT_MS },
  async () => {
    let hits = 0;
    expect(await hitEveryStep(stacks, () => (hits += 1))).toEqual([]);
    expect(hits).toBeGreaterThanOrEqual(3 * 25);
  },
);

it(
  '30 requests whose clients give up while a process is paused are never accepted afterwards',
  { timeout: LIMIT_MS },
  async () => {
    expect((await Promise.all(stacks.map((one) => sendLateRequests(one, 5)))).flat()).toEqual([]);
  },
);

it(
  'of 50 simultaneous requests at two gateways one is accepted, and 49 are answered with 409 [IMPORT-LIFECYCLE-ONE-1]',
  { timeout: LIMIT_MS },
  async () => {
    expect(await race(stack, 3)).toEqual([]);
  },
);

it(
  `everything killed and paused at random, NATS also losing its store, changes no outcome (FAULT_SEED=${SEED})`,
  { timeout: LIMIT_MS },
  async () => {
    const { wrong, imports } = await runRandomFaults(stack, { seed: SEED, faults: 30, customers: 3 });
    expect(wrong).toEqual([]);
    expect(imports).toBeGreaterThan(0);
  },
);
