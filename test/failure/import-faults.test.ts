import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { FaultyProcess } from './faulty-process.ts';
import { startFaultyStack, type FaultyStack } from './faulty-stack.ts';
import { sendLateRequests } from './late-requests.ts';
import { customerBefore, hitAt, runFailpointCases } from './failpoint-cases.ts';
import { race } from './races.ts';
import { runRandomFaults } from './random-faults.ts';

// Starts its own servers, because it kills them.
const folder = await mkdtemp(join(tmpdir(), 'survey-faults-'));
// Stacks start in sequence to limit the load on the machine.
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
  throw new Error('cannot run: no stack');
}

it(
  'ends an import normally when a process is killed, paused or disconnected from PostgreSQL at any failpoint [IMPORT-LIFECYCLE-ATOMIC-2, IMPORT-LIFECYCLE-ONE-2]',
  { timeout: LIMIT_MS },
  async () => {
    let hits = 0;
    expect(await runFailpointCases(stacks, () => (hits += 1))).toEqual([]);
    expect(hits).toBeGreaterThanOrEqual(3 * 25);
  },
);

it('stops with exit code 0 while PostgreSQL is unavailable during an import', { timeout: LIMIT_MS }, async () => {
  const fault = {
    name: 'stop',
    begin: async (hit: FaultyProcess) => {
      await stack.postgres.kill();
      hit.release();
      try {
        await hit.stop();
      } finally {
        await stack.postgres.start();
      }
    },
    end: (hit: FaultyProcess) => hit.start(),
  };
  const customer = await customerBefore(stack);
  expect(await hitAt(stack, customer, { failpoint: 'import.account_locked', fault })).toEqual([]);
});

it('never accepts requests whose clients disconnected while a process was paused', { timeout: LIMIT_MS }, async () => {
  expect((await Promise.all(stacks.map((one) => sendLateRequests(one, 5)))).flat()).toEqual([]);
});

it(
  'accepts one of 50 concurrent requests at two gateways and returns 409 to 49 [IMPORT-LIFECYCLE-ONE-1]',
  { timeout: LIMIT_MS },
  async () => {
    expect(await race(stack, 3)).toEqual([]);
  },
);

it(
  `has the same outcomes when everything is killed and paused at random and NATS loses its store (FAULT_SEED=${SEED})`,
  { timeout: LIMIT_MS },
  async () => {
    const { wrong, imports } = await runRandomFaults(stack, { seed: SEED, faults: 30, customers: 3 });
    expect(wrong).toEqual([]);
    expect(imports).toBeGreaterThan(0);
  },
);
