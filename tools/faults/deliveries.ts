import { Customer } from '../../test/failure/customer.ts';
import { plainSnapshot } from '../../test/failure/plain-snapshot.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

/** Customers that send snapshots in sequence, as fast as they are accepted, until disposed. */
export interface Deliveries extends AsyncDisposable {
  /** The import_uuid of every 202 response so far. */
  promised(): string[];
}

// Consecutive snapshots have different sizes.
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
    await customer.deliver(plainSnapshot(SIZES[turn % SIZES.length] ?? 1)).catch(() => undefined);
}
