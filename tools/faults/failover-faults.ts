import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { publishSteadily } from './acknowledged-facts.ts';
import { checkAll } from '../../test/failure/check-customer.ts';
import { readStream } from '../../test/failure/check-stream.ts';
import { newCustomer, type Customer } from '../../test/failure/customer.ts';
import type { FaultyStack } from '../../test/failure/faulty-stack.ts';
import { sendUntil } from '../../test/failure/random-faults.ts';

/** A fault of a store that has a replacement. */
export interface Failover {
  readonly name: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

export interface FailoverReport {
  readonly faults: number;
  readonly imports: number;
  /** Accepted imports that do not exist. */
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  readonly events: PublishedEvents;
  readonly facts: { readonly acknowledged: number; readonly missing: number };
  /** Longest time without a 202 response, per fault, in milliseconds. */
  readonly pausesMs: readonly number[];
}

interface PublishedEvents {
  readonly count: number;
  /** Events of the outbox that are not on the stream. */
  readonly unpublished: number;
  /** Copies of events on the stream. */
  readonly repeated: number;
}

interface FailoverRun {
  readonly seed: number;
  /** Facts are replayed in the end, as after a failover that lost commits. */
  readonly replaysFacts: boolean;
}

const CUSTOMERS = 3;
const BETWEEN_MS = 1_000;
const CONTINUES_WITHIN_MS = 240_000;
const PUBLISHED_WITHIN_MS = 60_000;

/**
 * Injects each fault while customers send random snapshots to two gateways and facts are published.
 * Afterwards every account must match the model of the imports that exist.
 */
export async function runFailovers(
  stack: FaultyStack,
  failovers: readonly Failover[],
  { seed, replaysFacts }: FailoverRun,
): Promise<FailoverReport> {
  const customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => newCustomer(stack)));
  const over = new AbortController();
  const sending = customers.map((customer, at) => sendUntil(over.signal, customer, seed + at));
  await using facts = await publishSteadily(stack, customers);
  const pausesMs: number[] = [];
  try {
    for (const failover of failovers) {
      await untilAccepted(customers);
      await sleep(BETWEEN_MS);
      pausesMs.push(await pauseDuring(failover, customers));
      console.log(`  ${failover.name}: 202 again after ${Math.round(pausesMs.at(-1) ?? 0)} ms`);
    }
    await untilAccepted(customers);
  } finally {
    over.abort();
    await Promise.all(sending);
  }
  const acknowledged = await facts.stop();
  const found = await checkAll(stack, customers);
  if (replaysFacts) await facts.replay();
  const isLost = (text: string): boolean => text.includes(': lost: ');
  return {
    faults: failovers.length,
    imports: customers.reduce((sum, { promised }) => sum + promised.size, 0),
    lost: found.filter(isLost),
    wrong: found.filter((text) => !isLost(text)),
    events: await publishedAfterRetries(stack, customers),
    facts: { acknowledged, missing: await facts.countMissing() },
    pausesMs,
  };
}

// Ends the fault only when requests are accepted again, so that the replacement alone serves.
async function pauseDuring({ begin, end }: Failover, customers: readonly Customer[]): Promise<number> {
  const watch = watchAccepted(customers);
  try {
    await begin();
    await untilAccepted(customers);
    await end();
    await untilAccepted(customers);
  } finally {
    watch.stop();
  }
  return watch.longestPauseMs();
}

const accepted = (customers: readonly Customer[]): number => customers.reduce((sum, { promised }) => sum + promised.size, 0);

function watchAccepted(customers: readonly Customer[]): { stop(): void; longestPauseMs(): number } {
  let [count, sinceMs, longestMs] = [accepted(customers), performance.now(), 0];
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - sinceMs);
    if (accepted(customers) === count) return;
    [count, sinceMs] = [accepted(customers), performance.now()];
  }, 10);
  return { stop: () => clearInterval(timer), longestPauseMs: () => longestMs };
}

async function untilAccepted(customers: readonly Customer[]): Promise<void> {
  const before = accepted(customers);
  const deadline = Date.now() + CONTINUES_WITHIN_MS;
  while (accepted(customers) === before) {
    if (Date.now() > deadline) throw new Error(`no import was accepted within ${CONTINUES_WITHIN_MS / 1_000} s`);
    await sleep(20);
  }
}

// NATS may elect leaders only now, and the relays wait before they retry.
async function publishedAfterRetries(stack: FaultyStack, customers: readonly Customer[]): Promise<PublishedEvents> {
  const deadline = Date.now() + PUBLISHED_WITHIN_MS;
  for (;;) {
    try {
      const events = await countPublished(stack, customers);
      if (events.unpublished === 0 || Date.now() > deadline) return events;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(100);
  }
}

async function countPublished({ db, nats }: FaultyStack, customers: readonly Customer[]): Promise<PublishedEvents> {
  const { rows } = await db.query<{ id: string }>(
    'select message_id::text as id from imports.outbox where account_id = any($1) and sequence is not null',
    [customers.map(({ account }) => account.accountId)],
  );
  const bus = await connect(readBusUrl(nats.url));
  try {
    const ids = (await readStream(bus)).map(({ headers }) => headers['ce-id']);
    const published = new Set(ids);
    const unpublished = rows.filter(({ id }) => !published.has(id)).length;
    return { count: rows.length, unpublished, repeated: ids.length - published.size };
  } finally {
    await bus.close();
  }
}
