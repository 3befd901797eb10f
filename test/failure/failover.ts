import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { percentileOf } from '../support/figures.ts';
import { runFailovers, type Failover, type FailoverReport } from './failover-faults.ts';
import { inFolder } from './fault-options.ts';
import { startFaultyStack } from './faulty-stack.ts';
import type { FaultyStoresOptions } from './faulty-store-set.ts';
import type { FaultyStore } from './faulty-store.ts';
import { none, tellGoals, type Goal } from './goals.ts';
import { startNatsCluster } from './nats-cluster.ts';
import { startPatroniCluster } from './patroni-cluster.ts';
import { startRedisSentinels } from './redis-sentinels.ts';

// Patroni's leader key expires; strict replication also waits for a new copy of the lost server.
const CONTINUES_WITHIN_MS = 120_000;
// Commits of this time are lost with an asynchronous standby.
const WITHHELD_MS = [400, 1_600];

interface Replicated {
  readonly given: NonNullable<FaultyStoresOptions['given']>;
  readonly failovers: readonly Failover[];
}

interface Part {
  readonly about: string;
  readonly losesCommits?: boolean;
  readonly start: (folder: string, started: AsyncDisposableStack) => Promise<Replicated>;
}

const PARTS: Readonly<Record<string, Part>> = {
  'sync-failover': {
    about: 'PostgreSQL under Patroni, synchronous and strict',
    start: (folder, started) => postgres(folder, started, true),
  },
  'async-failover': {
    about: 'PostgreSQL under Patroni, asynchronous: commits are lost',
    losesCommits: true,
    start: (folder, started) => postgres(folder, started, false),
  },
  nats: { about: 'three NATS servers with three replicas of each stream', start: nats },
  redis: { about: 'Redis under three Sentinels', start: redis },
};

await new Command('npm run test:failover')
  .description(
    `Replaces servers of replicated stores while imports run, and prints each goal of docs/reliability.md.\n\n${Object.entries(
      PARTS,
    )
      .map(([name, { about }]) => `  ${name.padEnd(15)} ${about}`)
      .join('\n')}`,
  )
  .option('--only <part...>', 'run only these parts', part, [])
  .option('--seed <number>', 'seed of the snapshots (default: the current time)', whole, Date.now() % 1e9)
  .option('--rounds <number>', 'repetitions of each fault', whole, 1)
  .option('--json <file>', 'also write the goals to this file')
  .addHelpText('after', '\nExit codes: 0 all goals met, 1 a goal was missed.')
  .action(main)
  .parseAsync();

async function main({
  only,
  seed,
  rounds,
  json,
}: {
  only: string[];
  seed: number;
  rounds: number;
  json?: string;
}): Promise<void> {
  console.log(`seed ${seed}`);
  const goals: Goal[] = [];
  for (const [name, one] of Object.entries(PARTS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    console.log(name);
    const report = await inFolder(async (folder) => {
      await using started = new AsyncDisposableStack();
      const { given, failovers } = await one.start(folder, started);
      const stack = started.use(await startFaultyStack({ folder: join(folder, 'stack'), given }));
      return await runFailovers(stack, Array.from({ length: rounds }, () => failovers).flat(), seed);
    });
    goals.push(...goalsOf(name, one, report));
  }
  await tellGoals(goals, json);
}

function goalsOf(name: string, { losesCommits = false }: Part, report: FailoverReport): Goal[] {
  const { faults, imports, lost, wrong, unpublished, pausesMs } = report;
  for (const what of [...(losesCommits ? [] : lost), ...wrong]) console.log(`  ✗ ${what}`);
  const of = `${imports} imports, ${faults} faults`;
  return [
    losesCommits
      ? { ...none('R17', `${name}: lost with their commits`, lost.length, of), target: { atMost: imports } }
      : none('R17', `${name}: lost`, lost.length, of),
    none('R17', `${name}: applied twice, wrong or stuck`, wrong.length, of),
    none('R17', `${name}: events not published`, unpublished, of),
    {
      goal: 'R17',
      what: `${name}: longest time without a 202`,
      figure: Math.max(...pausesMs),
      unit: 'ms',
      target: { atMost: CONTINUES_WITHIN_MS },
      anchor: `median ${Math.round(percentileOf(pausesMs, 50))} ms of ${faults}`,
    },
  ];
}

async function postgres(folder: string, started: AsyncDisposableStack, isSynchronous: boolean): Promise<Replicated> {
  const cluster = started.use(await startPatroniCluster(join(folder, 'patroni'), isSynchronous));
  const fault = (name: string, begin: () => Promise<void>, end = cluster.start): Failover =>
    // Strict: nothing is committed without the standby.
    isSynchronous ? { name, begin: () => begin().then(end), end: () => Promise.resolve() } : { name, begin, end };
  return {
    given: { postgres: cluster },
    failovers: [
      fault('machine killed', cluster.kill),
      fault('PostgreSQL killed', () => cluster.failOver((primary) => primary.killPostgres())),
      ...WITHHELD_MS.map((ms) =>
        fault(`log withheld for ${ms} ms, machine killed`, () => cluster.failOver((primary) => primary.killWithheld(ms))),
      ),
      fault('machine frozen', cluster.pause, cluster.resume),
      fault('switchover', () => cluster.failOver((primary, standby) => primary.switchTo(standby))),
    ],
  };
}

async function nats(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const cluster = started.use(await startNatsCluster(join(folder, 'nats')));
  const [first, second, third] = cluster.servers;
  if (first === undefined || second === undefined || third === undefined) throw new Error('expected three servers');
  const both = (work: (server: FaultyStore) => Promise<void>) => async (): Promise<void> => {
    await Promise.all([first, second].map(work));
  };
  return {
    given: { nats: { ...first, url: cluster.url } },
    failovers: [
      ...cluster.servers.map((server, at) => ({ name: `server ${at + 1} killed`, begin: server.kill, end: server.start })),
      { name: 'one server wiped', begin: () => third.crash({ wiped: true }), end: () => Promise.resolve() },
      { name: 'one server frozen', begin: first.pause, end: first.resume },
      { name: 'two servers killed', begin: both((server) => server.kill()), end: both((server) => server.start()) },
      { name: 'two servers frozen', begin: both((server) => server.pause()), end: both((server) => server.resume()) },
    ],
  };
}

async function redis(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const sentinels = started.use(await startRedisSentinels(join(folder, 'redis')));
  const first = await sentinels.primary();
  let faulty = first;
  const begin = async (work: (primary: typeof first) => Promise<void>): Promise<void> => {
    faulty = await sentinels.primary();
    await work(faulty);
  };
  return {
    given: { redis: { ...first, url: sentinels.url } },
    failovers: [
      { name: 'primary killed', begin: () => begin((primary) => primary.kill()), end: () => faulty.start() },
      { name: 'primary frozen', begin: () => begin((primary) => primary.pause()), end: () => faulty.resume() },
    ],
  };
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
