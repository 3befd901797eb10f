import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@survey/local/service-environments.ts';
import { afterAll, expect, it } from 'vitest';
import { startHistories, type Histories } from '../failure/histories/histories.ts';
import { faultsOfReplica, runFaults, startReplicatedStack } from '../failure/histories/replicated-stack.ts';

const folder = await mkdtemp(join(tmpdir(), 'survey-histories-'));
const stack = await startReplicatedStack(folder);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const SEED = Number(process.env['FAULT_SEED'] ?? 1);
const FOUND_WITHIN_MS = 60_000;
const CALM = { revokedWithinMs: 2_000 };
// Without the message about a revocation, a gateway looks a key up again within 10 s.
const DISTURBED = { revokedWithinMs: 11_000 };
const VERSIONS = 5;
const FAULTS = 60;

async function expectNoAnomaly(histories: Histories): Promise<void> {
  expect(histories.anomalies()).toEqual([]);
  console.log(JSON.stringify(histories.counts()));
}

it('shows one version per page, and never goes back, while nothing fails', { timeout: 180_000 }, async () => {
  await using histories = await startHistories(stack, { routes: stack.routes, ...CALM });
  await histories.progress(VERSIONS);
  expect(histories.rejected()).toEqual([]);
  await expectNoAnomaly(histories);
});

it(
  `shows one version per page, and never goes back, while everything is killed, paused, replaced or late (FAULT_SEED=${SEED})`,
  { timeout: 600_000 },
  async () => {
    await using histories = await startHistories(stack, { routes: stack.routes, ...DISTURBED });
    await histories.progress(1);
    await runFaults(stack, SEED, FAULTS);
    await histories.progress(VERSIONS);
    await expectNoAnomaly(histories);
  },
);

const ABLATIONS: readonly (readonly [name: string, service: ServiceName])[] = [
  ['cache-skips-a-change', 'scoring-anonymity'],
  ['replica-gate-off', 'export'],
  ['page-outside-its-snapshot', 'export'],
  ['keys-without-revocation', 'gateway'],
];

it.each(ABLATIONS)('finds %s of %s within 60 s', { timeout: 300_000 }, async (name, service) => {
  const preload = fileURLToPath(new URL(`../failure/histories/ablations/${name}.ts`, import.meta.url));
  const replace = async (what: string | undefined): Promise<void> => {
    for (const instance of stack.instances[service]) {
      instance.change({ preload: what });
      await instance.restart();
    }
  };
  await replace(preload);
  await using histories = await startHistories(stack, { routes: stack.routes, ...CALM });
  const deadline = performance.now() + FOUND_WITHIN_MS;
  const late = faultsOfReplica(stack).find(([fault]) => fault === 'replica late')?.[1];
  while (histories.anomalies().length === 0 && performance.now() < deadline)
    await (name === 'replica-gate-off' ? late?.() : sleep(500));
  expect(histories.anomalies()).not.toEqual([]);
  await histories[Symbol.asyncDispose]();
  await replace(undefined);
});
