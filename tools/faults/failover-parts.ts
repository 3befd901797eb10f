import { join } from 'node:path';
import type { Failover } from './failover-faults.ts';
import type { FaultyStoresOptions } from '../../test/failure/faulty-store-set.ts';
import type { FaultyStore } from '../../test/failure/faulty-store.ts';
import { startNatsCluster, type NatsCluster } from './nats-cluster.ts';
import { startPatroniCluster, type PatroniCluster } from './patroni-cluster.ts';
import { startRedisSentinels } from '../../test/failure/redis-sentinels.ts';

// For how long an asynchronous standby receives no commits before the failover, which loses them.
const WITHHELD_MS = [400, 1_600];

interface Replicated {
  readonly given: NonNullable<FaultyStoresOptions['given']>;
  readonly failovers: readonly Failover[];
}

/** Replicated stores and their faults. */
export interface Part {
  readonly about: string;
  /** What the faults may lose; by default nothing. */
  readonly loses?: 'commits' | 'streams';
  readonly start: (folder: string, started: AsyncDisposableStack) => Promise<Replicated>;
}

export const PARTS: Readonly<Record<string, Part>> = {
  'sync-failover': { about: 'PostgreSQL under Patroni, synchronous and strict', start: synchronous },
  'async-failover': {
    about: 'PostgreSQL under Patroni, asynchronous: commits are lost',
    loses: 'commits',
    start: asynchronous,
  },
  'kept-sessions': { about: 'as sync-failover; HAProxy keeps sessions and notices late', start: keptSessions },
  nats: { about: 'three NATS servers with three replicas of each stream', start: nats },
  'nats-wiped': { about: 'two of three NATS servers lose their data: streams are lost', loses: 'streams', start: natsWiped },
  both: { about: 'PostgreSQL, synchronous, and NATS at the same time', start: both },
  redis: { about: 'Redis under three Sentinels', start: redis },
};

/** Starts a PostgreSQL server and a standby without which nothing is committed. */
export async function synchronous(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const cluster = started.use(await startPatroniCluster(join(folder, 'patroni'), { isSynchronous: true }));
  return { given: { postgres: cluster }, failovers: faultsOf(cluster).map(strict) };
}

async function asynchronous(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const cluster = started.use(await startPatroniCluster(join(folder, 'patroni'), { isSynchronous: false }));
  return { given: { postgres: cluster }, failovers: faultsOf(cluster) };
}

async function keptSessions(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const options = { isSynchronous: true, keepsSessions: true };
  const cluster = started.use(await startPatroniCluster(join(folder, 'patroni'), options));
  return { given: { postgres: cluster }, failovers: faultsOf(cluster).map(strict) };
}

function faultsOf({ kill, start, failOver, pause, resume }: PatroniCluster): Failover[] {
  return [
    { name: 'machine killed', begin: kill, end: start },
    { name: 'PostgreSQL killed', begin: () => failOver((primary) => primary.killPostgres()), end: start },
    ...WITHHELD_MS.map((ms) => ({
      name: `log withheld for ${ms} ms, machine killed`,
      begin: () => failOver((primary) => primary.killWithheld(ms)),
      end: start,
    })),
    { name: 'machine frozen, reset by its watchdog', begin: pause, end: resume },
    { name: 'switchover', begin: () => failOver((primary, standby) => primary.switchTo(standby)), end: start },
  ];
}

// Nothing is committed without the standby.
const strict = ({ name, begin, end }: Failover): Failover => ({
  name,
  begin: () => begin().then(end),
  end: () => Promise.resolve(),
});

async function nats(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const cluster = started.use(await startNatsCluster(join(folder, 'nats')));
  const { servers } = cluster;
  const { first, third, two } = membersOf(cluster);
  return {
    given: { nats: { ...first, url: cluster.url } },
    failovers: [
      ...servers.map((server, at) => ({ name: `server ${at + 1} killed`, begin: server.kill, end: server.start })),
      { name: 'one server wiped', begin: () => third.crash({ wiped: true }), end: () => Promise.resolve() },
      { name: 'one server frozen', begin: first.pause, end: first.resume },
      { name: 'two servers killed', begin: two((server) => server.kill()), end: two((server) => server.start()) },
      { name: 'two servers frozen', begin: two((server) => server.pause()), end: two((server) => server.resume()) },
    ],
  };
}

// The server that kept its data finds no quorum, and is wiped too, as in
// docs/runbooks/lose-a-nats-node.md.
async function natsWiped(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const cluster = started.use(await startNatsCluster(join(folder, 'nats')));
  const { first, third, two } = membersOf(cluster);
  const end = async (): Promise<void> => {
    await third.kill();
    await Promise.all(cluster.servers.map((server) => server.start({ wiped: true })));
    await cluster.provision();
  };
  return {
    given: { nats: { ...first, url: cluster.url } },
    failovers: [{ name: 'two servers wiped', begin: two((server) => server.kill()), end }],
  };
}

async function both(folder: string, started: AsyncDisposableStack): Promise<Replicated> {
  const cluster = started.use(await startPatroniCluster(join(folder, 'patroni'), { isSynchronous: true }));
  const bus = started.use(await startNatsCluster(join(folder, 'nats')));
  const { first, two } = membersOf(bus);
  const restart = (): Promise<void> => cluster.kill().then(() => cluster.start());
  const atOnce = (one: () => Promise<void>, other: () => Promise<void>) => async (): Promise<void> => {
    await Promise.all([one(), other()]);
  };
  return {
    given: { postgres: cluster, nats: { ...first, url: bus.url } },
    failovers: [
      { name: 'machine and one NATS server killed', begin: atOnce(restart, first.kill), end: first.start },
      {
        name: 'machine and two NATS servers killed',
        begin: atOnce(
          restart,
          two((server) => server.kill()),
        ),
        end: two((server) => server.start()),
      },
      {
        name: 'machine killed, two NATS servers frozen',
        begin: atOnce(
          restart,
          two((server) => server.pause()),
        ),
        end: two((server) => server.resume()),
      },
    ],
  };
}

function membersOf({ servers: [first, second, third] }: NatsCluster) {
  if (first === undefined || second === undefined || third === undefined) throw new Error('expected three servers');
  const two = (work: (server: FaultyStore) => Promise<void>) => async (): Promise<void> => {
    await Promise.all([first, second].map(work));
  };
  return { first, third, two };
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
