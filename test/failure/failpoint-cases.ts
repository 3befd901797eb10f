import type { SentRecord } from '../support/import/organisation.ts';
import { checkAll, checkCustomer } from './check-customer.ts';
import { checkStream } from './check-stream.ts';
import { newCustomer, type Customer } from './customer.ts';
import type { FaultyProcess } from './faulty-process.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { untilSettled } from './wait-until-idle.ts';
import { STEP_FAULTS, type StepFault } from './failpoint-faults.ts';

const REACHED_WITHIN_MS = 10_000;
const SETTLED_WITHIN_MS = 20_000;

// Somebody of each kind: created, changed, offboarded, skipped, moved to another's address, with attributes, a grant and a supervisor.
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

interface StepCase {
  readonly step: string;
  readonly fault: StepFault;
  // Of somebody of each kind, when none is given.
  readonly snapshot?: readonly SentRecord[];
}

/**
 * Every named step with every fault, each on an account of its own; several stacks share the work. In the end nothing of what went on late may
 * have changed anything. Answers with what was wrong where.
 */
export async function hitEveryStep(
  stacks: readonly FaultyStack[],
  tell: (done: StepCase, isWrong: boolean) => void,
): Promise<string[]> {
  const [first] = stacks;
  if (first === undefined) throw new Error('no stack');
  const steps = await discoverSteps(first);
  const waiting = STEP_FAULTS.flatMap((fault) => steps.map((step): StepCase => ({ step, fault })));
  const wrong: string[] = [];
  const lane = async (stack: FaultyStack): Promise<void> => {
    const customers: Customer[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { step, fault } = next;
      const customer = await customerBefore(stack);
      customers.push(customer);
      const found = await hitAt(stack, customer, next);
      wrong.push(...found.map((what) => `${step}, ${fault.name}: ${what}`));
      tell(next, found.length > 0);
    }
    wrong.push(...(await checkAll(stack, customers)), ...(await checkStream(stack, customers)));
  };
  await Promise.all(stacks.map(lane));
  return wrong;
}

/** A customer of whom some employees are there already. */
export async function customerBefore(stack: FaultyStack): Promise<Customer> {
  const customer = await newCustomer(stack);
  await customer.deliver(BEFORE);
  await untilSettled(stack.db, [customer.account.accountId], SETTLED_WITHIN_MS);
  return customer;
}

/** Every named step on the way from a snapshot to the mail about it, in their order, as an import without faults passes them. */
async function discoverSteps(stack: FaultyStack): Promise<string[]> {
  const customer = await customerBefore(stack);
  const processes = [...stack.gateways, ...stack.workers];
  for (const { trace } of processes) trace.length = 0;
  await customer.deliver(AFTER);
  await untilSettled(stack.db, [customer.account.accountId], SETTLED_WITHIN_MS, true);
  return [...new Set(processes.flatMap(({ trace }) => trace))];
}

/** One import, hit by one fault exactly when somebody stands at the step. Answers with everything that is then wrong. */
export async function hitAt(
  stack: FaultyStack,
  customer: Customer,
  { step, fault, snapshot = AFTER }: StepCase,
): Promise<string[]> {
  const { db } = stack;
  const { accountId } = customer.account;
  const someone = firstAt(stack, step);
  const delivered = customer.deliver(snapshot);
  const hit = await someone;
  await fault.begin(hit, db);
  await delivered;
  try {
    await untilSettled(db, [accountId], SETTLED_WITHIN_MS, step.startsWith('mail.'));
    // The place is free at once.
    await customer.deliverAtOnce(AFTER);
    await untilSettled(db, [accountId], SETTLED_WITHIN_MS);
    return await checkCustomer(stack, customer);
  } catch (error) {
    return [String(error)];
  } finally {
    await fault.end(hit);
  }
}

async function firstAt({ gateways, workers }: FaultyStack, step: string): Promise<FaultyProcess> {
  const over = new AbortController();
  const tooLate = AbortSignal.any([over.signal, AbortSignal.timeout(REACHED_WITHIN_MS)]);
  const all = [...gateways, ...workers];
  try {
    const first = await Promise.any(all.map((one) => one.untilHeldAt(step, tooLate)));
    for (const other of all) if (other !== first) other.release();
    return first;
  } catch (error) {
    throw new Error(`nobody came to ${step}`, { cause: error });
  } finally {
    over.abort();
  }
}
