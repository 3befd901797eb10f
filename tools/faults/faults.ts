import { Command, InvalidArgumentError } from 'commander';
import {
  frozenDependency,
  natsUnavailable,
  noisyNeighbour,
  postgresRestart,
  redisUnavailable,
  rolling,
  silentNetwork,
  slowClients,
} from './dependency-parts.ts';
import { diskFull, powerCut } from './disk-parts.ts';
import type { FaultOptions } from './fault-options.ts';
import { runGoalTests, type GoalTests } from './goal-tests.ts';
import { tellGoals, type Goal } from './goals.ts';
import { late, races, random, failpoints, takeovers } from './import-parts.ts';

const ABLATIONS_AND_MAIL: readonly GoalTests[] = [
  {
    goal: 'R3',
    what: 'the tests detect an import without row lock, outbox, sweeper or deadline check',
    project: 'faults',
    args: ['test/failure/import-ablations.test.ts'],
  },
  { goal: 'R14', what: 'faulty mail servers', project: 'system', args: ['test/failure/smtp-faults.test.ts'] },
];

const TIMING: readonly GoalTests[] = [
  {
    goal: 'Z25',
    what: 'pairs of requests whose durations must not reveal whether an employee has responded',
    project: 'proofs',
    args: ['test/proofs/timing.test.ts'],
  },
];

interface Part {
  readonly about: string;
  readonly measure: (options: FaultOptions) => Promise<Goal[]>;
}

const PARTS: Readonly<Record<string, Part>> = {
  failpoints: { about: 'R2: processes killed, paused or disconnected at every failpoint of an import', measure: failpoints },
  late: { about: 'R13: clients that disconnect during their request', measure: late },
  races: { about: 'R5: 50 concurrent requests of one account', measure: races },
  random: { about: 'R1: all processes and servers killed and paused at random', measure: random },
  takeovers: { about: 'R4: time until the import of a killed worker continues', measure: takeovers },
  'nats-away': { about: 'R7: NATS killed, and standing still, under load', measure: natsUnavailable },
  'redis-away': { about: 'R7: Redis killed, and standing still, under load', measure: redisUnavailable },
  'postgres-restart': { about: 'R8: PostgreSQL killed under load', measure: postgresRestart },
  'silent-network': { about: 'R8: all packets between services and PostgreSQL dropped under load', measure: silentNetwork },
  'frozen-dependency': { about: 'R9: each service and PostgreSQL frozen in turn, under load', measure: frozenDependency },
  'slow-clients': { about: 'R11: 1,000 clients that send headers slowly, 200 that do not read', measure: slowClients },
  'noisy-neighbour': {
    about: 'R16: effects of uploads, large pages, invalid facts, key look-ups and idle accounts on others',
    measure: noisyNeighbour,
  },
  rolling: { about: 'R12: two instances of each service, replaced one by one under load while imports run', measure: rolling },
  'power-cut': { about: 'R6: atomic copy of PostgreSQL’s disk during imports; requires root', measure: powerCut },
  tests: {
    about: 'R3, R14: ablations of imports; faulty mail servers',
    measure: () => runGoalTests(ABLATIONS_AND_MAIL),
  },
  timing: {
    about: 'Z25: durations of 2,000 pairs of requests, one below its threshold and one without responses',
    measure: () => {
      process.env['TIMING_PAIRS'] ??= '2000';
      return runGoalTests(TIMING);
    },
  },
  'disk-full': { about: 'R15: disk full for tables, the log or streams; requires root', measure: diskFull },
};

interface Options extends FaultOptions {
  readonly only: readonly string[];
  readonly json?: string;
}

await new Command('npm run test:faults')
  .description(
    `Kills, pauses and disconnects processes and servers, and prints each goal of docs/reliability.md with its figure.\n\n${Object.entries(
      PARTS,
    )
      .map(([name, { about }]) => `  ${name.padEnd(17)} ${about}`)
      .join('\n')}`,
  )
  .option('--only <part...>', 'run only these parts', part, [])
  .option('--seed <number>', 'seed of the random faults (default: the current time)', whole, Date.now() % 1e9)
  .option('--rounds <number>', 'number of repetitions', whole, 1)
  .option('--faults <number>', 'random faults per round', whole, 100)
  .option('--seconds <number>', 'duration of each outage in seconds; 60 is the full size', whole, 10)
  .option('--json <file>', 'also write the goals to this file')
  .addHelpText('after', '\nExit codes: 0 all goals met, 1 a goal was missed.')
  .action(main)
  .parseAsync();

async function main({ only, json, ...options }: Options): Promise<void> {
  console.log(`seed ${options.seed}`);
  const goals: Goal[] = [];
  for (const [name, { measure }] of Object.entries(PARTS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const startedAt = performance.now();
    goals.push(...(await measure(options)));
    console.log(`${name}: ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }
  await tellGoals(goals, json);
}

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('must be a whole number of at least 1');
  return number;
}

function part(text: string, earlier: readonly string[]): string[] {
  if (!(text in PARTS)) throw new InvalidArgumentError(`must be one of ${Object.keys(PARTS).join(', ')}`);
  return [...earlier, text];
}
