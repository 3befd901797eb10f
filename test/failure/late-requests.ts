import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Customer, newCustomer } from './customer.ts';
import type { FaultyProcess } from './faulty-process.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { snapshotOf } from './snapshot-of.ts';

const HELD_WITHIN_MS = 30_000;
// Time for those that are not paused to hear that the client has left.
const NEWS_TAKES_MS = 500;

// Where the last byte of the body has arrived and nothing is committed yet.
const PLACES = [
  ['gateways', 'gateway.body_read'],
  ['workers', 'accept.validated'],
  ['workers', 'accept.written'],
] as const;

/**
 * Requests whose clients give up while the process that has them is paused: none may be accepted afterwards, or an old snapshot could be
 * applied after a newer one (rule LISTS-FILTERS-1). So many at each place, all of which go on in the same moment. Answers with everything that is wrong.
 */
export async function sendLateRequests(stack: FaultyStack, atEachPlace: number): Promise<string[]> {
  const wrong: string[] = [];
  for (const [kind, step] of PLACES) {
    const [process] = stack[kind];
    if (process === undefined) throw new Error('nobody is there to be paused');
    const accepted = await acceptedLate(stack, process, step, atEachPlace);
    if (accepted > 0) wrong.push(`${accepted} of ${atEachPlace} accepted after their clients had given up: paused at ${step}`);
  }
  return wrong;
}

async function acceptedLate(stack: FaultyStack, paused: FaultyProcess, step: string, count: number): Promise<number> {
  // All by one gateway: what it does for the next request comes after what it does for these.
  const [url = ''] = stack.gatewayUrls;
  const customers = await Promise.all(
    Array.from({ length: count }, async () => new Customer((await newCustomer(stack)).account, [url])),
  );
  const givesUp = new AbortController();
  const held = paused.untilHeldAt(step, AbortSignal.timeout(HELD_WITHIN_MS), count);
  const answers = customers.map((customer) => customer.post(snapshotOf(2), randomUUID(), givesUp.signal));
  await held;
  paused.pause();
  givesUp.abort();
  await Promise.all(answers);
  await sleep(NEWS_TAKES_MS);
  paused.release();
  paused.resume();
  const next = await Promise.all(customers.map((customer) => customer.deliver(snapshotOf(1))));
  const { rowCount } = await stack.db.query(
    'select from imports.import where account_id = any($1) and not import_uuid = any($2::uuid[])',
    [customers.map(({ account }) => account.accountId), next],
  );
  return rowCount ?? 0;
}
