import { Customer } from './customer.ts';
import { manyPeople } from './many-people.ts';
import type { WholeStack } from './whole-stack.ts';

/** Customers who deliver one snapshot after the other, as fast as they are taken, until they are disposed of. */
export interface Deliveries extends AsyncDisposable {
  /** The import_uuids of every 202 so far. */
  promised(): string[];
}

// No two that follow each other are of the same size.
const SIZES = [20, 27, 22, 31, 25];

export async function startDeliveries({ operator, gatewayUrl }: WholeStack, count: number): Promise<Deliveries> {
  const accounts = await Promise.all(Array.from({ length: count }, () => operator.createAccount({ threshold: '100' })));
  const customers = accounts.map((account) => new Customer(account, [gatewayUrl]));
  const over = new AbortController();
  const delivering = customers.map((customer) => deliverUntil(over.signal, customer));
  return {
    promised: () => customers.flatMap(({ promised }) => [...promised]),
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await Promise.all(delivering);
    },
  };
}

async function deliverUntil(over: AbortSignal, customer: Customer): Promise<void> {
  for (let turn = 0; !over.aborted; turn += 1)
    await customer.deliver(manyPeople(SIZES[turn % SIZES.length] ?? 1)).catch(() => undefined);
}
