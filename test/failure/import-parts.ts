import { percentileOf } from '../support/figures.ts';
import { none, type Goal } from './goals.ts';
import { inFolder, type FaultOptions } from './fault-options.ts';
import { startFaultyStack, type FaultyStack } from './faulty-stack.ts';
import { sendLateRequests } from './late-requests.ts';
import { hitEveryStep } from './failpoint-cases.ts';
import { race } from './races.ts';
import { runRandomFaults } from './random-faults.ts';
import { measureTakeovers } from './takeovers.ts';

const AT_EACH_PLACE = 5;
const RACES = 10;
const CUSTOMERS = 4;
const RESUMED_WITHIN_MS = 10_000;
const FREE_WITHIN_MS = 1_000;
// How soon somebody takes over is a matter of the interval that production has.
const AS_IN_PRODUCTION = { SWEEP_INTERVAL_SECONDS: '5' };

/** R2: every named step of an import, with every fault. */
export async function steps({ rounds }: FaultOptions): Promise<Goal[]> {
  let hits = 0;
  const wrong = await inRounds(rounds, {}, (stack) =>
    hitEveryStep([stack], ({ step, fault }, isWrong) => {
      hits += 1;
      console.log(`  ${isWrong ? '✗' : '✓'} ${step}, ${fault.name}`);
    }),
  );
  return [none('R2', 'killed, paused or cut at each named step: what is then wrong', wrong.length, `${hits} hits`)];
}

/** R13: clients that give up while the process that has their request is paused. */
export async function late({ rounds }: FaultOptions): Promise<Goal[]> {
  const wrong = await inRounds(rounds, {}, (stack) => sendLateRequests(stack, AT_EACH_PLACE));
  return [none('R13', 'accepted after the client gave up', wrong.length, `of ${3 * AT_EACH_PLACE * rounds} at three places`)];
}

/** R5: fifty requests at the same time. */
export async function races({ rounds }: FaultOptions): Promise<Goal[]> {
  const wrong = await inRounds(rounds, {}, (stack) => race(stack, RACES));
  return [
    none('R5', '50 requests at once at two gateways: not one 202 and 49 × 409', wrong.length, `of ${RACES * rounds} races`),
  ];
}

/** R1: everything killed and paused at random, from one seed for each round. */
export async function random({ rounds, seed, faults }: FaultOptions): Promise<Goal[]> {
  let imports = 0;
  let happened = 0;
  const wrong = await inRounds(rounds, {}, async (stack, round) => {
    const report = await runRandomFaults(stack, { seed: seed + round, faults, customers: CUSTOMERS });
    console.log(`  seed ${seed + round}: ${report.imports} imports under ${JSON.stringify(report.faults)}`);
    imports += report.imports;
    happened += Object.values(report.faults).reduce((sum, count) => sum + count, 0);
    return report.wrong;
  });
  const anchor = `${imports} imports under ${happened} faults, seeds ${seed} to ${seed + rounds - 1}`;
  return [none('R1', 'faults at random: lost, applied twice, wrong, stuck, told twice', wrong.length, anchor)];
}

/** R4: how soon somebody goes on with the import of a worker that was killed. */
export async function takeovers({ rounds, faults }: FaultOptions): Promise<Goal[]> {
  const [resumedMs, freeMs]: [number[], number[]] = [[], []];
  await inRounds(rounds, AS_IN_PRODUCTION, async (stack) => {
    for (const one of await measureTakeovers(stack, Math.ceil(faults / 5))) {
      resumedMs.push(one.resumedMs);
      freeMs.push(one.freeMs);
    }
    return [];
  });
  const longest = (what: string, values: readonly number[], atMost: number): Goal => ({
    goal: 'R4',
    what,
    figure: percentileOf(values, 99),
    unit: 'ms',
    target: { atMost },
    anchor: `median ${Math.round(percentileOf(values, 50))} ms of ${values.length}`,
  });
  return [
    longest('from the death of a worker to its import in other hands, p99', resumedMs, RESUMED_WITHIN_MS),
    longest('from the end of an import to the next one accepted, p99', freeMs, FREE_WITHIN_MS),
  ];
}

// Each round on servers of its own.
async function inRounds(
  rounds: number,
  settings: Readonly<Record<string, string>>,
  work: (stack: FaultyStack, round: number) => Promise<readonly string[]>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const found = await inFolder(async (folder) => {
      await using stack = await startFaultyStack({ folder, settings });
      return await work(stack, round);
    });
    for (const what of found) console.log(`  ✗ ${what}`);
    wrong.push(...found);
  }
  return wrong;
}
