import type { ServiceTools } from '@survey/process/service.ts';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';

/** What a key has asked for in the minute that runs. */
export interface Usage {
  readonly requests: number;
  readonly resetsInMs: number;
}

export interface RequestCount {
  /** Counts one more request of this key. */
  add(keyId: string): Promise<Usage>;
}

export const WINDOW_SECONDS = 60;
const SETTLE_MS = 200;
// Limits differ by account and are judged elsewhere: the limiters only count.
const COUNT_ONLY = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS };

/**
 * Counts requests by key in this process, and five times a second, apart from any request, adds what came to the count of all processes in Redis,
 * whose sum and window then count here too. A request never waits for the network; in exchange each process may let through a fifth of
 * a second's requests too many. With Redis away, or emptied, each process counts for itself.
 */
export function openRequestCount(redis: Redis, { resources }: Pick<ServiceTools, 'resources'>): RequestCount {
  const here = new RateLimiterMemory(COUNT_ONLY);
  const everywhere = new RateLimiterRedis({
    ...COUNT_ONLY,
    storeClient: redis,
    keyPrefix: 'gateway:requests',
    rejectIfRedisNotReady: true,
  });
  const unsettled = new Map<string, number>();

  const settle = async (keyId: string, requests: number): Promise<void> => {
    const { consumedPoints, msBeforeNext } = await everywhere.penalty(keyId, requests);
    // What came while Redis was asked is not in its answer.
    const known = consumedPoints + (unsettled.get(keyId) ?? 0);
    if (msBeforeNext > 0) await here.set(keyId, known, msBeforeNext / 1_000);
  };
  const settleAll = (): void => {
    const counts = [...unsettled];
    unsettled.clear();
    for (const [keyId, requests] of counts) settle(keyId, requests).catch(() => {});
  };
  const timer = setInterval(settleAll, SETTLE_MS).unref();
  resources.defer(() => clearInterval(timer));

  return {
    add: async (keyId) => {
      unsettled.set(keyId, (unsettled.get(keyId) ?? 0) + 1);
      const { consumedPoints, msBeforeNext } = await here.penalty(keyId);
      return { requests: consumedPoints, resetsInMs: msBeforeNext };
    },
  };
}
