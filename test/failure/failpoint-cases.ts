import type { SentRecord } from '../support/import/organisation.ts';
import { checkAll, checkCustomer } from './check-customer.ts';
import { checkStream } from './check-stream.ts';
import { newCustomer, type Customer } from './customer.ts';
import type { FaultyProcess } from './faulty-process.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { waitUntilIdle } from './wait-until-idle.ts';
import { FAILPOINT_FAULTS, type FailpointFault } from './failpoint-faults.ts';

const REACHED_WITHIN_MS = 10_000;
const IDLE_WITHIN_MS = 20_000;

// Every kind of record: created, changed, offboarded, skipped, with an e-mail address taken over
// from another employee, with attributes, a grant and a supervisor.
export const BEFORE: readonly SentRecord[] = [
  { import_id: 'E1', email: 'e1@x.io', firstname: 'Ann', lastname: 'Lee', role: 'Admin' },
  { import_id: 'E2', email: 'e2@x.io', firstname: 'Ann', lastname: 'Day', attributes: [{ name: 'Dept', value: { name: 'IT' } }] },
  { import_id: 'E3', email: 'e3@x.io', firstname: 'Mary_Ann', lastname: 'Lee', reports_to_id: 'E4' },
  { import_id: 'E4', email: 'e4@x.io', firstname: 'Ann', lastname: 'Lee' },
];
const SALES = { grants: [{ attribute: { name: 'Dept' }, value: { name: 'Sales' } }] };
const AFTER: readonly SentRecord[] = [
  { import_id: 'E1', email: 'e1@x.io', firstname: 'Ann', lastname: 'Lee', role: 'Admin' },
  {
    import_id: 'E2',
    email: 'e3@x.io',
    firstname: 'Ann',
    lastname: 'Day',
    attributes: [{ name: 'Dept', value: { name: 'Sales' } }],
  },
  { import_id: 'E3', email: 'e2@x.io', firstname: 'Mary_Ann', lastname: 'Day', reports_to_id: 'E1' },
  {
    import_id: 'E5',
    email: 'e5@x.io',
    firstname: 'Ann',
    lastname: 'Lee',
    reports_to_id: 'E2',
    role: 'Manager',
    permissions: SALES,
  },
  { import_id: 'e1', email: 'a+b@x.io', firstname: 'Ann', lastname: 'Day', role: 'Employee' },
];

export interface FailpointCase {
  readonly failpoint: string;
  readonly fault: FailpointFault;
  // Default: a snapshot with every kind of record.
  readonly snapshot?: readonly SentRecord[];
}

/**
 * Runs every failpoint with every fault, each on its own account, in parallel on several stacks. In
 * the end, work that continued late must not have changed anything. Returns all differences.
 */
export async function runFailpointCases(
  stacks: readonly FaultyStack[],
  report: (done: FailpointCase, isWrong: boolean) => void,
): Promise<string[]> {
  const [first] = stacks;
  if (first === undefined) throw new Error('cannot run failpoint cases: no stack');
  const failpoints = await discoverFailpoints(first);
  const waiting = FAILPOINT_FAULTS.flatMap((fault) => failpoints.map((failpoint): FailpointCase => ({ failpoint, fault })));
  const wrong: string[] = [];
  const lane = async (stack: FaultyStack): Promise<void> => {
    const customers: Customer[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { failpoint, fault } = next;
      const customer = await customerBefore(stack);
      customers.push(customer);
      const found = await hitAt(stack, customer, next);
      wrong.push(...found.map((what) => `${failpoint}, ${fault.name}: ${what}`));
      report(next, found.length > 0);
    }
    wrong.push(...(await checkAll(stack, customers)), ...(await checkStream(stack, customers)));
  };
  await Promise.all(stacks.map(lane));
  return wrong;
}

/** Creates a customer with existing employees. */
export async function customerBefore(stack: FaultyStack): Promise<Customer> {
  const customer = await newCustomer(stack);
  await customer.deliver(BEFORE);
  await waitUntilIdle(stack.db, [customer.account.accountId], IDLE_WITHIN_MS);
  return customer;
}

/** Returns the failpoints that an import without faults passes, in order, up to its mail. */
export async function discoverFailpoints(stack: FaultyStack): Promise<string[]> {
  const customer = await customerBefore(stack);
  const processes = [...stack.gateways, ...stack.workers];
  for (const { trace } of processes) trace.length = 0;
  await customer.deliver(AFTER);
  await waitUntilIdle(stack.db, [customer.account.accountId], IDLE_WITHIN_MS, true);
  return [...new Set(processes.flatMap(({ trace }) => trace))];
}

/** Runs one import with one fault at one failpoint. Returns all differences. */
export async function hitAt(
  stack: FaultyStack,
  customer: Customer,
  { failpoint, fault, snapshot = AFTER }: FailpointCase,
): Promise<string[]> {
  const { db } = stack;
  const { accountId } = customer.account;
  const stopped = firstAt(stack, failpoint);
  const delivered = customer.deliver(snapshot);
  const hit = await stopped;
  await fault.begin(hit, db);
  await delivered;
  try {
    await waitUntilIdle(db, [accountId], IDLE_WITHIN_MS, failpoint.startsWith('mail.'));
    // The account can import again immediately.
    await customer.deliverAtOnce(AFTER);
    await waitUntilIdle(db, [accountId], IDLE_WITHIN_MS);
    return await checkCustomer(stack, customer);
  } catch (error) {
    return [String(error)];
  } finally {
    await fault.end(hit);
  }
}

async function firstAt({ gateways, workers }: FaultyStack, failpoint: string): Promise<FaultyProcess> {
  const over = new AbortController();
  const tooLate = AbortSignal.any([over.signal, AbortSignal.timeout(REACHED_WITHIN_MS)]);
  const all = [...gateways, ...workers];
  try {
    const first = await Promise.any(all.map((one) => one.waitUntilStoppedAt(failpoint, tooLate)));
    for (const other of all) if (other !== first) other.release();
    return first;
  } catch (error) {
    throw new Error(`cannot inject the fault: no process reached ${failpoint}`, { cause: error });
  } finally {
    over.abort();
  }
}
