import { customerBefore } from './failpoint-cases.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { untilSettled } from './wait-until-idle.ts';
import { snapshotOf } from './snapshot-of.ts';

interface Takeover {
  // From the death of a worker to its import in another's hands.
  readonly resumedMs: number;
  // From the end of an import to the next one accepted.
  readonly freeMs: number;
}

const WAITED_FOR_MS = 60_000;

/** How long nobody works on an import whose worker was killed, and how soon after its end the account's place is free (R4). */
export async function measureTakeovers(stack: FaultyStack, rounds: number): Promise<Takeover[]> {
  const takeovers: Takeover[] = [];
  for (let round = 0; round < rounds; round += 1) takeovers.push(await measure(stack, round));
  return takeovers;
}

async function measure(stack: FaultyStack, round: number): Promise<Takeover> {
  const customer = await customerBefore(stack);
  const given = AbortSignal.timeout(WAITED_FOR_MS);
  const [one, other] = round % 2 === 0 ? stack.workers : stack.workers.toReversed();
  if (one === undefined || other === undefined) throw new Error('two workers are needed');
  const [first] = await Promise.all([
    Promise.race([one, other].map((worker) => worker.untilHeldAt('import.loaded', given))),
    customer.deliver(snapshotOf(4)),
  ]);
  const second = first === one ? other : one;
  await first.kill();
  const killedAt = performance.now();
  await second.untilHeldAt('import.claimed', given);
  const resumedMs = performance.now() - killedAt;
  second.release();
  await untilSettled(stack.db, [customer.account.accountId], WAITED_FOR_MS);
  const endedAt = performance.now();
  await customer.deliverAtOnce(snapshotOf(4));
  const freeMs = performance.now() - endedAt;
  await untilSettled(stack.db, [customer.account.accountId], WAITED_FOR_MS);
  await first.start();
  return { resumedMs, freeMs };
}
