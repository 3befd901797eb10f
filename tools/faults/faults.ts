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
import { busPowerCut, diskFull, powerCut } from './disk-parts.ts';
import { faultCommand, whole } from './fault-command.ts';
import type { FaultOptions } from './fault-options.ts';
import { failoverHistories, histories } from './history-parts.ts';
import { runGoalTests, type GoalTests } from './goal-tests.ts';
import { tellGoals, type Goal } from './goals.ts';
import { late, races, random, failpoints, schedules, takeovers } from './import-parts.ts';

const ABLATIONS_AND_MAIL: readonly GoalTests[] = [
  {
    what: 'the tests detect an import without row lock, outbox, sweeper or deadline check',
    project: 'faults',
    args: ['test/failure/import-ablations.test.ts'],
  },
  { what: 'faulty mail servers', project: 'proofs', args: ['test/failure/smtp-faults.test.ts'] },
];

const TIMING: readonly GoalTests[] = [
  {
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
  failpoints: { about: 'processes killed, paused or disconnected at every failpoint of an import', measure: failpoints },
  late: { about: 'clients that disconnect during their request', measure: late },
  races: { about: '50 concurrent requests of one account', measure: races },
  random: { about: 'all processes and servers killed and paused at random', measure: random },
  histories: {
    about: 'versions of every page that readers see while everything is killed, paused or replaced',
    measure: histories,
  },
  'failover-histories': { about: 'the same during failovers of PostgreSQL; requires Patroni', measure: failoverHistories },
  schedules: { about: 'all orders in which two actors can take the steps of an import and its neighbours', measure: schedules },
  takeovers: { about: 'time until the import of a killed worker continues', measure: takeovers },
  'nats-away': { about: 'NATS killed, and standing still, under load', measure: natsUnavailable },
  'redis-away': { about: 'Redis killed, and standing still, under load', measure: redisUnavailable },
  'postgres-restart': { about: 'PostgreSQL killed under load', measure: postgresRestart },
  'silent-network': { about: 'all packets between services and PostgreSQL dropped under load', measure: silentNetwork },
  'frozen-dependency': { about: 'each service and PostgreSQL frozen in turn, under load', measure: frozenDependency },
  'slow-clients': { about: '1,000 clients that send headers slowly, 200 that do not read', measure: slowClients },
  'noisy-neighbour': {
    about: 'effects of uploads, large pages, invalid facts, key look-ups and idle accounts on others',
    measure: noisyNeighbour,
  },
  rolling: { about: 'two instances of each service, replaced one by one under load while imports run', measure: rolling },
  'power-cut': { about: 'atomic copy of PostgreSQL’s disk during imports; requires root', measure: powerCut },
  'bus-power-cut': { about: 'atomic copy of NATS’s disk during publications; requires root', measure: busPowerCut },
  tests: {
    about: 'ablations of imports; faulty mail servers',
    measure: () => runGoalTests(ABLATIONS_AND_MAIL),
  },
  timing: {
    about: 'durations of 2,000 pairs of requests, one below its threshold and one without responses',
    measure: () => {
      process.env['TIMING_PAIRS'] ??= '2000';
      return runGoalTests(TIMING);
    },
  },
  'disk-full': { about: 'disk full for tables, the log or streams; requires root', measure: diskFull },
};

interface Options extends FaultOptions {
  readonly only: readonly string[];
  readonly json?: string;
}

await faultCommand(
  'test:faults',
  'Kills, pauses and disconnects processes and servers, and prints a figure with its target for each.',
  PARTS,
)
  .option('--schedule <name>', 'run only this schedule, such as import/erase-17')
  .option('--faults <number>', 'random faults per round', whole, 100)
  .option('--seconds <number>', 'duration of each outage in seconds; 60 is the full size', whole, 10)
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
