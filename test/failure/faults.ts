import { Command, InvalidArgumentError } from 'commander';
import {
  frozenPeer,
  natsAway,
  noisyNeighbour,
  postgresRestart,
  redisAway,
  rolling,
  silentNetwork,
  slowClients,
} from './dependency-parts.ts';
import { diskFull, powerCut } from './disk-parts.ts';
import type { FaultOptions } from './fault-options.ts';
import { runGoalTests, type GoalTests } from './goal-tests.ts';
import { tellGoals, type Goal } from './goals.ts';
import { late, races, random, steps, takeovers } from './import-parts.ts';

const ABLATIONS_AND_MAIL: readonly GoalTests[] = [
  {
    goal: 'R3',
    what: 'an import without row lock, outbox, sweeper or deadline check is found out',
    project: 'faults',
    args: ['test/failure/import-ablations.test.ts'],
  },
  { goal: 'R14', what: 'mail servers that misbehave', project: 'system', args: ['test/failure/smtp-faults.test.ts'] },
];

const TIMING: readonly GoalTests[] = [
  {
    goal: 'Z25',
    what: 'pairs of requests whose durations must not tell whether anybody has answered',
    project: 'system',
    args: ['test/failure/timing.test.ts'],
  },
];

interface Part {
  readonly about: string;
  readonly measure: (options: FaultOptions) => Promise<Goal[]>;
}

const PARTS: Readonly<Record<string, Part>> = {
  steps: { about: 'R2: killed, paused and cut off at every named step of an import', measure: steps },
  late: { about: 'R13: clients that give up while their request is under way', measure: late },
  races: { about: 'R5: 50 requests of one account at the same time', measure: races },
  random: { about: 'R1: everything killed and paused at random', measure: random },
  takeovers: { about: 'R4: how soon the import of a dead worker goes on', measure: takeovers },
  'nats-away': { about: 'R7: NATS killed, and standing still, under load', measure: natsAway },
  'redis-away': { about: 'R7: Redis killed, and standing still, under load', measure: redisAway },
  'postgres-restart': { about: 'R8: PostgreSQL shut down at once under load', measure: postgresRestart },
  'silent-network': { about: 'R8: packets between services and PostgreSQL lost under load', measure: silentNetwork },
  'frozen-peer': { about: 'R9: each service and PostgreSQL standing still in turn, under load', measure: frozenPeer },
  'slow-clients': { about: 'R11: 1,000 clients whose headers dribble, 200 that do not read', measure: slowClients },
  'noisy-neighbour': {
    about: 'R16: uploads, large pages, poison facts, key look-ups and idle accounts of one account beside others',
    measure: noisyNeighbour,
  },
  rolling: { about: 'R12: two of each service, replaced one by one under load while imports run', measure: rolling },
  'power-cut': { about: 'R6: PostgreSQL’s disk copied at one moment while imports come in; needs root', measure: powerCut },
  tests: {
    about: 'R3, R14: an import without each of its safeguards is found out; mail servers',
    measure: () => runGoalTests(ABLATIONS_AND_MAIL),
  },
  timing: {
    about: 'Z25: durations of 2,000 pairs of requests, one below its threshold and one without answers',
    measure: () => {
      process.env['TIMING_PAIRS'] ??= '2000';
      return runGoalTests(TIMING);
    },
  },
  'disk-full': { about: 'R15: no room for tables, for the log, for streams; needs root', measure: diskFull },
};

interface Options extends FaultOptions {
  readonly only: readonly string[];
  readonly json?: string;
}

await new Command('npm run test:faults')
  .description(
    `Kills, pauses and takes away everything that takes part, and prints each goal of docs/reliability.md with its figure.\n\n${Object.entries(
      PARTS,
    )
      .map(([name, { about }]) => `  ${name.padEnd(17)} ${about}`)
      .join('\n')}`,
  )
  .option('--only <part...>', 'parts instead of all', part, [])
  .option(
    '--seed <number>',
    'what happens at random: the same for the same seed (default: by the clock)',
    whole,
    Date.now() % 1e9,
  )
  .option('--rounds <number>', 'how often everything is done', whole, 1)
  .option('--faults <number>', 'random faults in each round', whole, 100)
  .option('--seconds <number>', 'how long each outage lasts; 60 is the full size', whole, 10)
  .option('--json <file>', 'writes the goals there, too')
  .addHelpText('after', '\nExit code: 0 all goals met, 1 not all.')
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
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('A whole number from 1.');
  return number;
}

function part(text: string, earlier: readonly string[]): string[] {
  if (!(text in PARTS)) throw new InvalidArgumentError(`One of ${Object.keys(PARTS).join(', ')}.`);
  return [...earlier, text];
}
