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
  // In all, spread over everything that can fail.
  readonly faults: number;
  readonly customers: number;
}

interface RandomReport {
  readonly imports: number;
  // By what was done to whom.
  readonly faults: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

type Random = () => number;
type Fault = readonly [name: string, happens: () => Promise<void>];

const BREATHER_MS = 400;
const SNAPSHOTS = 2_000;

/**
 * Customers send random snapshots at two gateways while everything is killed and paused at random: several at a time, since each process and
 * the servers have a lane of their own. Then all is left alone, and every account must be as the model says. A seed decides what happens in
 * each lane, in which order; how the lanes meet is up to the machine.
 */
export async function runRandomFaults(stack: FaultyStack, { seed, faults, customers: count }: RandomRun): Promise<RandomReport> {
  const customers = await Promise.all(Array.from({ length: count }, () => newCustomer(stack)));
  const over = new AbortController();
  const sending = customers.map((customer, at) => sendUntil(over.signal, customer, seed + at));
  const lanes = [...stack.workers.map(faultsOfProcess), ...stack.gateways.map(faultsOfProcess), faultsOfServers(stack)];
  const each = Math.ceil(faults / lanes.length);
  const happened = await Promise.all(lanes.map((lane, at) => happen(lane, seededRandom(seed * 31 + at), each)));
  over.abort();
  await Promise.all(sending);
  const ids = customers.map(({ account }) => account.accountId);
  const wrong = await checkAll(stack, customers);
  return { imports: await countImports(stack, ids), faults: countEach(happened.flat()), wrong };
}

async function sendUntil(over: AbortSignal, customer: Customer, seed: number): Promise<void> {
  const snapshots = fc.sample(snapshot, { seed, numRuns: SNAPSHOTS });
  for (const list of snapshots) {
    if (over.aborted) return;
    await customer.deliver(list).catch(() => undefined);
  }
}

function faultsOfProcess(process: FaultyProcess): readonly Fault[] {
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

function faultsOfServers({ postgres, nats, db }: FaultyStack): readonly Fault[] {
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

async function happen(lane: readonly Fault[], random: Random, times: number): Promise<string[]> {
  const happened: string[] = [];
  for (let time = 0; time < times; time += 1) {
    await sleep(random() * BREATHER_MS);
    const [name, happens] = lane[Math.floor(random() * lane.length)] ?? [];
    if (name === undefined || happens === undefined) continue;
    await happens();
    happened.push(name);
  }
  return happened;
}

async function countImports({ db }: FaultyStack, accountIds: readonly number[]): Promise<number> {
  return (await db.query('select from imports.import where account_id = any($1)', [accountIds])).rowCount ?? 0;
}

function countEach(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
