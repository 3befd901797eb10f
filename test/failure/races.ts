import { randomUUID } from 'node:crypto';
import { newCustomer } from './customer.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { plainSnapshot } from './plain-snapshot.ts';

const BATCH_SIZE = 50;
const ONE_ACCEPTED = ['202', ...Array.from({ length: BATCH_SIZE - 1 }, () => '409')].join(' ');
const TIMEOUT_MS = 50_000;

/** Sends 50 concurrent requests of one account to two gateways; one is accepted, 49 get 409. */
export async function race(stack: FaultyStack, rounds: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const statuses = await raceOnce(stack);
    const ends = statuses.toSorted((a, b) => a - b).join(' ');
    if (ends !== ONE_ACCEPTED) wrong.push(`a race ended with ${ends}`);
  }
  return wrong;
}

// Workers are stopped meanwhile: after the end of the first import, a second one could be accepted.
async function raceOnce({ workers, ...stack }: FaultyStack): Promise<number[]> {
  const over = new AbortController();
  // All executions, because an import of another test could be stopped instead.
  const holding = workers.map((worker) =>
    worker.waitUntilStoppedAt('import.counted', over.signal, Infinity).catch(() => undefined),
  );
  const customer = await newCustomer({ workers, ...stack });
  try {
    const posts = Array.from({ length: BATCH_SIZE }, () =>
      customer.post(plainSnapshot(2), randomUUID(), AbortSignal.timeout(TIMEOUT_MS)),
    );
    return (await Promise.all(posts)).map(({ status }) => status);
  } finally {
    over.abort();
    await Promise.all(holding);
    for (const worker of workers) worker.release();
  }
}
