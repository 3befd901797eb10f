import { customerBefore } from '../../test/failure/failpoint-cases.ts';
import type { FaultyStack } from '../../test/failure/faulty-stack.ts';
import { waitUntilIdle } from '../../test/failure/wait-until-idle.ts';
import { plainSnapshot } from '../../test/failure/plain-snapshot.ts';

interface Takeover {
  // Milliseconds until another worker continues the import of a killed one.
  readonly resumedMs: number;
  // Milliseconds from the end of an import until the next one is accepted.
  readonly freeMs: number;
}

const WAITED_FOR_MS = 60_000;

/**
 * Measures how soon another worker continues an import, and how soon the account can import
 * again.
 */
export async function measureTakeovers(stack: FaultyStack, rounds: number): Promise<Takeover[]> {
  const takeovers: Takeover[] = [];
  for (let round = 0; round < rounds; round += 1) takeovers.push(await measure(stack, round));
  return takeovers;
}

async function measure(stack: FaultyStack, round: number): Promise<Takeover> {
  const customer = await customerBefore(stack);
  const given = AbortSignal.timeout(WAITED_FOR_MS);
  const [one, other] = round % 2 === 0 ? stack.workers : stack.workers.toReversed();
  if (one === undefined || other === undefined) throw new Error('cannot measure takeovers: two workers are required');
  const [first] = await Promise.all([
    Promise.race([one, other].map((worker) => worker.waitUntilStoppedAt('import.loaded', given))),
    customer.deliver(plainSnapshot(4)),
  ]);
  const second = first === one ? other : one;
  await first.kill();
  const killedAt = performance.now();
  await second.waitUntilStoppedAt('import.claimed', given);
  const resumedMs = performance.now() - killedAt;
  second.release();
  await waitUntilIdle(stack.db, [customer.account.accountId], WAITED_FOR_MS);
  const endedAt = performance.now();
  await customer.deliverAtOnce(plainSnapshot(4));
  const freeMs = performance.now() - endedAt;
  await waitUntilIdle(stack.db, [customer.account.accountId], WAITED_FOR_MS);
  await first.start();
  return { resumedMs, freeMs };
}
