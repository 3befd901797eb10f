import { randomUUID } from 'node:crypto';
import { newCustomer } from './customer.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { snapshotOf } from './snapshot-of.ts';

const BATCH_SIZE = 50;
const ONE_ACCEPTED = ['202', ...Array.from({ length: BATCH_SIZE - 1 }, () => '409')].join(' ');
const PATIENCE_MS = 50_000;

/** Fifty requests for one account at the same time, at two gateways: one is accepted, and all others are told that an import runs (R5). */
export async function race(stack: FaultyStack, rounds: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const statuses = await raceOnce(stack);
    const ends = statuses.toSorted((a, b) => a - b).join(' ');
    if (ends !== ONE_ACCEPTED) wrong.push(`a race has ended with ${ends}`);
  }
  return wrong;
}

// The one that is accepted is not worked on meanwhile: once it had ended, a second one could be.
async function raceOnce({ workers, ...stack }: FaultyStack): Promise<number[]> {
  const over = new AbortController();
  // All that come: an import that another test has left would be held in its place.
  const holding = workers.map((worker) => worker.untilHeldAt('import.counted', over.signal, Infinity).catch(() => undefined));
  const customer = await newCustomer({ workers, ...stack });
  try {
    const posts = Array.from({ length: BATCH_SIZE }, () =>
      customer.post(snapshotOf(2), randomUUID(), AbortSignal.timeout(PATIENCE_MS)),
    );
    return (await Promise.all(posts)).map(({ status }) => status);
  } finally {
    over.abort();
    await Promise.all(holding);
    for (const worker of workers) worker.release();
  }
}
