import { percentileOf } from '../../test/support/figures.ts';
import { none, type Goal } from './goals.ts';
import { inFolder } from '../../test/support/in-folder.ts';
import type { FaultOptions } from './fault-options.ts';
import { startFaultyStack, type FaultyStack } from '../../test/failure/faulty-stack.ts';
import { sendLateRequests } from '../../test/failure/late-requests.ts';
import { runFailpointCases } from '../../test/failure/failpoint-cases.ts';
import { race } from '../../test/failure/races.ts';
import { PATIENT, runImportSchedule, schedules as allSchedules } from '../../test/failure/schedules/run-import-schedule.ts';
import { runRandomFaults } from '../../test/failure/random-faults.ts';
import { measureTakeovers } from './takeovers.ts';

const REQUESTS_PER_FAILPOINT = 5;
const RACES = 10;
const CUSTOMERS = 4;
const RESUMED_WITHIN_MS = 10_000;
const FREE_WITHIN_MS = 1_000;
// Production interval, because it determines how soon another worker claims the import.
const AS_IN_PRODUCTION = { SWEEP_INTERVAL_SECONDS: '5' };

/** Every failpoint of an import, with every fault. */
export async function failpoints({ rounds }: FaultOptions): Promise<Goal[]> {
  let hits = 0;
  const wrong = await inRounds(rounds, {}, (stack) =>
    runFailpointCases([stack], ({ failpoint, fault }, isWrong) => {
      hits += 1;
      console.log(`  ${isWrong ? '✗' : '✓'} ${failpoint}, ${fault.name}`);
    }),
  );
  return [none('killed, paused or disconnected at each failpoint: differences', wrong.length, `${hits} hits`)];
}

/** Clients that disconnect while the process that handles their request is paused. */
export async function late({ rounds }: FaultOptions): Promise<Goal[]> {
  const wrong = await inRounds(rounds, {}, (stack) => sendLateRequests(stack, REQUESTS_PER_FAILPOINT));
  return [
    none('accepted after the client disconnected', wrong.length, `of ${3 * REQUESTS_PER_FAILPOINT * rounds} at three failpoints`),
  ];
}

/** 50 concurrent requests. */
export async function races({ rounds }: FaultOptions): Promise<Goal[]> {
  const wrong = await inRounds(rounds, {}, (stack) => race(stack, RACES));
  return [
    none('50 concurrent requests at two gateways: other than one 202 and 49 × 409', wrong.length, `of ${RACES * rounds} races`),
  ];
}

/** Random faults with one seed per round. */
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
  return [none('faults at random: lost, applied twice, wrong, stuck, published twice', wrong.length, anchor)];
}

/** Orders of the steps of two actors, or one of them. */
export async function schedules({ schedule }: FaultOptions): Promise<Goal[]> {
  const chosen = allSchedules().filter(({ name }) => schedule === undefined || name === schedule);
  if (chosen.length === 0) throw new Error(`there is no schedule ${schedule}: names are import/erase-1 and so on`);
  const wrong = await inRounds(1, PATIENT, async (stack) => {
    const found: string[] = [];
    for (const one of chosen) found.push(...(await runImportSchedule(stack, one)));
    return found;
  });
  return [none('orders of two actors: differences from the model', wrong.length, `of ${chosen.length} schedules`)];
}

/** Time until another worker continues the import of a killed one. */
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
    what,
    figure: percentileOf(values, 99),
    unit: 'ms',
    target: { atMost },
    anchor: `median ${Math.round(percentileOf(values, 50))} ms of ${values.length}`,
  });
  return [
    longest('time until another worker continues an import, p99', resumedMs, RESUMED_WITHIN_MS),
    longest('time from the end of an import until the next is accepted, p99', freeMs, FREE_WITHIN_MS),
  ];
}

// Each round has its own servers.
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
