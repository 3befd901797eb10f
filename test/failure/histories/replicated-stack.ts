import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../support/random.ts';
import { addressVariable, roleUrl, SERVICES } from '@survey/local/service-environments.ts';
import { Client } from 'pg';
import type { FaultyProcess } from '../faulty-process.ts';
import type { FaultyStore } from '../faulty-store.ts';
import { faultsOfProcess, faultsOfServers, injectFaults, type Fault } from '../random-faults.ts';
import { startReplicatedPostgres } from '../replicated-postgres.ts';
import { startWholeStack, type WholeStack } from '../whole-stack.ts';
import { CURRENT, type Route } from './histories.ts';

/** Two instances of each service; the second export and scoring-anonymity read from a replica. */
export interface ReplicatedStack extends WholeStack {
  readonly replica: FaultyStore;
  // Of the two gateways, each with its own export and scoring-anonymity.
  readonly routes: readonly Route[];
}

const MAX_LAG_SECONDS = 2;
const LATE_MS = 2 * MAX_LAG_SECONDS * 1_000;
const ROUTED = ['export', 'scoring-anonymity'] as const;
/** NODE_OPTIONS of services whose caches evict accounts at random. */
export const EVICTING = `--import=${fileURLToPath(new URL('evictions.ts', import.meta.url))}`;
const ROLES = { export: 'survey_export', 'scoring-anonymity': 'survey_scoring' } as const;

export async function startReplicatedStack(folder: string): Promise<ReplicatedStack> {
  await using starting = new AsyncDisposableStack();
  const servers = await startReplicatedPostgres(join(folder, 'servers'), randomBytes(12).toString('hex'));
  const { primary, replica } = starting.use(servers);
  const stack = starting.use(
    await startWholeStack({
      folder: join(folder, 'stack'),
      given: { postgres: primary },
      copies: 2,
      nodeOptions: () => EVICTING,
      environmentOf: ({ service, copy, addresses, around }) => {
        if (service === 'gateway')
          return Object.fromEntries(ROUTED.map((to) => [addressVariable(to), addresses[copy]?.[to].serve ?? '']));
        if (copy === 0 || (service !== 'export' && service !== 'scoring-anonymity')) return {};
        const role = ROLES[service];
        const copied = new URL(new URL(around.databaseUrl).pathname, replica.url).href;
        return {
          DATABASE_REPLICA_URL: roleUrl(copied, role, around.rolePasswords[role]),
          DATABASE_REPLICA_MAX_LAG_SECONDS: String(MAX_LAG_SECONDS),
        };
      },
    }),
  );
  const [first = '', second = ''] = stack.gatewayUrls;
  const lag = { afterWriteMs: MAX_LAG_SECONDS * 1_000, afterReadMs: MAX_LAG_SECONDS * 1_000 };
  const running = starting.move();
  return {
    ...stack,
    replica,
    routes: [
      { name: 'the primary', url: first, employees: CURRENT },
      { name: 'the replica', url: second, employees: lag },
    ],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Faults of the replica: it is lost, or replays nothing for longer than reads may be behind. */
export function faultsOfReplica({ replica }: ReplicatedStack): readonly Fault[] {
  return [
    ['replica killed', () => replica.crash()],
    ['replica late', () => beLate(replica)],
  ];
}

/**
 * Injects this number of random faults into all processes and servers, and returns how many it
 * were. account-admin is left alone: it creates and revokes the keys.
 */
export async function runFaults(stack: ReplicatedStack, seed: number, faults: number): Promise<number> {
  const replaced = (instance: FaultyProcess): Fault => [
    `${instance.service} replaced`,
    async () => {
      await instance.stop();
      await instance.start();
    },
  ];
  const processes = SERVICES.filter((service) => service !== 'account-admin').flatMap((service) => stack.instances[service]);
  const sequences = [
    ...processes.map((instance) => [...faultsOfProcess(instance), replaced(instance)]),
    [...faultsOfServers(stack), ['Redis killed', () => stack.redis.crash()] as const],
    faultsOfReplica(stack),
  ];
  const each = Math.ceil(faults / sequences.length);
  const injected = await Promise.all(sequences.map((sequence, at) => injectFaults(sequence, seededRandom(seed * 31 + at), each)));
  return injected.flat().length;
}

async function beLate({ url }: FaultyStore): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('select pg_wal_replay_pause()');
  await sleep(LATE_MS);
  await client.query('select pg_wal_replay_resume()');
  await client.end();
}
