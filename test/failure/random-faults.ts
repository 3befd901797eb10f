import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { snapshot } from '../support/import/snapshots.ts';
import { seededRandom } from '../support/random.ts';
import { checkAll } from './check-customer.ts';
import { newCustomer, type Customer } from './customer.ts';
import type { FaultyProcess } from './faulty-process.ts';
import { cutConnections, TRANSACTION_IDLE_MS, type FaultyStack } from './faulty-stack.ts';

interface RandomRun {
  readonly seed: number;
  // Total number of faults, distributed over all processes and servers.
  readonly faults: number;
  readonly customers: number;
}

interface RandomReport {
  readonly imports: number;
  // Number of faults by kind and target.
  readonly faults: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

type Random = () => number;
export type Fault = readonly [name: string, happens: () => Promise<void>];

const BREATHER_MS = 400;
const SNAPSHOTS = 2_000;

/**
 * Kills and pauses processes and servers at random while customers send random snapshots to two
 * gateways. Each process, and the servers together, have their own sequence of faults; sequences
 * run concurrently. Afterwards every account must match the model. A seed determines each sequence,
 * but not how the sequences interleave.
 */
export async function runRandomFaults(stack: FaultyStack, { seed, faults, customers: count }: RandomRun): Promise<RandomReport> {
  const customers = await Promise.all(Array.from({ length: count }, () => newCustomer(stack)));
  const over = new AbortController();
  const sending = customers.map((customer, at) => sendUntil(over.signal, customer, seed + at));
  const sequences = [...stack.workers.map(faultsOfProcess), ...stack.gateways.map(faultsOfProcess), faultsOfServers(stack)];
  const each = Math.ceil(faults / sequences.length);
  const injected = await Promise.all(sequences.map((sequence, at) => injectFaults(sequence, seededRandom(seed * 31 + at), each)));
  over.abort();
  await Promise.all(sending);
  const ids = customers.map(({ account }) => account.accountId);
  const wrong = await checkAll(stack, customers);
  return { imports: await countImports(stack, ids), faults: countEach(injected.flat()), wrong };
}

/** Sends random snapshots, each until it is accepted. */
export async function sendUntil(over: AbortSignal, customer: Customer, seed: number): Promise<void> {
  const snapshots = fc.sample(snapshot, { seed, numRuns: SNAPSHOTS });
  for (const list of snapshots) {
    if (over.aborted) return;
    await customer.deliver(list).catch(() => undefined);
  }
}

export function faultsOfProcess(process: FaultyProcess): readonly Fault[] {
  const pauseFor = async (ms: number): Promise<void> => {
    process.pause();
    await sleep(ms);
    process.resume();
  };
  return [
    [`${process.service} killed`, () => process.restart()],
    [`${process.service} paused`, () => pauseFor(TRANSACTION_IDLE_MS / 3)],
    [`${process.service} paused for long`, () => pauseFor(2.5 * TRANSACTION_IDLE_MS)],
  ];
}

export function faultsOfServers({ postgres, nats, db }: Pick<FaultyStack, 'postgres' | 'nats' | 'db'>): readonly Fault[] {
  const pauseNats = async (): Promise<void> => {
    await nats.pause();
    await sleep(BREATHER_MS);
    await nats.resume();
  };
  return [
    ['NATS killed', () => nats.crash()],
    ['NATS killed and wiped', () => nats.crash({ wiped: true })],
    ['NATS paused', pauseNats],
    ['PostgreSQL crashed', () => postgres.crash()],
    ['connections cut', () => cutConnections(db)],
  ];
}

export async function injectFaults(sequence: readonly Fault[], random: Random, times: number): Promise<string[]> {
  const injected: string[] = [];
  for (let time = 0; time < times; time += 1) {
    await sleep(random() * BREATHER_MS);
    const [name, happens] = sequence[Math.floor(random() * sequence.length)] ?? [];
    if (name === undefined || happens === undefined) continue;
    await happens();
    injected.push(name);
  }
  return injected;
}

async function countImports({ db }: FaultyStack, accountIds: readonly number[]): Promise<number> {
  return (await db.query('select from imports.import where account_id = any($1)', [accountIds])).rowCount ?? 0;
}

function countEach(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
