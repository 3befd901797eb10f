import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Customer, newCustomer } from './customer.ts';
import type { FaultyProcess } from './faulty-process.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { plainSnapshot } from './plain-snapshot.ts';

const STOP_TIMEOUT_MS = 30_000;
// Time for running processes to notice that the client has disconnected.
const NEWS_TAKES_MS = 500;

// Failpoints after the last byte of the body and before the commit.
const FAILPOINTS = [
  ['gateways', 'gateway.body_read'],
  ['workers', 'accept.validated'],
  ['workers', 'accept.written'],
] as const;

/**
 * Sends requests whose clients disconnect while the process is paused. None may be accepted
 * afterwards, or an old snapshot could be applied after a newer one. All requests of a failpoint
 * continue at the same moment. Returns all violations.
 */
export async function sendLateRequests(stack: FaultyStack, perFailpoint: number): Promise<string[]> {
  const wrong: string[] = [];
  for (const [kind, failpoint] of FAILPOINTS) {
    const [process] = stack[kind];
    if (process === undefined) throw new Error('cannot pause a process: none is running');
    const accepted = await acceptedLate(stack, process, failpoint, perFailpoint);
    if (accepted > 0)
      wrong.push(`${accepted} of ${perFailpoint} accepted after their clients had disconnected: paused at ${failpoint}`);
  }
  return wrong;
}

async function acceptedLate(stack: FaultyStack, paused: FaultyProcess, failpoint: string, count: number): Promise<number> {
  // All through one gateway, which handles a later request after these.
  const [url = ''] = stack.gatewayUrls;
  const customers = await Promise.all(
    Array.from({ length: count }, async () => new Customer((await newCustomer(stack)).account, [url])),
  );
  const disconnected = new AbortController();
  const held = paused.waitUntilStoppedAt(failpoint, AbortSignal.timeout(STOP_TIMEOUT_MS), count);
  const answers = customers.map((customer) => customer.post(plainSnapshot(2), randomUUID(), disconnected.signal));
  await held;
  paused.pause();
  disconnected.abort();
  await Promise.all(answers);
  await sleep(NEWS_TAKES_MS);
  paused.release();
  paused.resume();
  const next = await Promise.all(customers.map((customer) => customer.deliver(plainSnapshot(1))));
  const { rowCount } = await stack.db.query(
    'select from imports.import where account_id = any($1) and not import_uuid = any($2::uuid[])',
    [customers.map(({ account }) => account.accountId), next],
  );
  return rowCount ?? 0;
}
