import type { ServiceContext } from '@survey/process/service.ts';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis } from 'rate-limiter-flexible';

/** What a key has asked for in the minute that runs. */
export interface Usage {
  readonly requests: number;
  readonly resetsInMs: number;
}

export interface RequestCount {
  /** Counts one more request of this key. */
  add(keyId: string): Usage;
}

export const WINDOW_SECONDS = 60;
const SETTLE_MS = 200;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const MAX_KEYS = 100_000;

/**
 * Counts requests by key in this process, and five times a second, apart from any request, adds what came to the count of all processes in Redis,
 * whose sum and window then count here too. A request never waits for the network; in exchange each process may let through a fifth of
 * a second's requests too many. With Redis away, or emptied, each process counts for itself.
 */
export function openRequestCount(redis: Redis, { resources }: Pick<ServiceContext, 'resources'>): RequestCount {
  // Its times are monotonic: a wall clock that steps back must not lengthen a window.
  const localCounter = new LRUCache<string, { requests: number }>({ max: MAX_KEYS, ttl: WINDOW_MS });
  const sharedCounter = new RateLimiterRedis({
    // Limits differ by account and are judged elsewhere: this only counts.
    points: Number.MAX_SAFE_INTEGER,
    duration: WINDOW_SECONDS,
    storeClient: redis,
    keyPrefix: 'gateway:requests',
    rejectIfRedisNotReady: true,
  });
  const unsynced = new Map<string, number>();

  const syncKey = async (keyId: string, added: number): Promise<void> => {
    const { consumedPoints, msBeforeNext } = await sharedCounter.penalty(keyId, added);
    // What came while Redis was asked is not in its answer.
    const requests = consumedPoints + (unsynced.get(keyId) ?? 0);
    if (msBeforeNext > 0) localCounter.set(keyId, { requests }, { ttl: Math.min(msBeforeNext, WINDOW_MS) });
  };
  const syncAll = (): void => {
    const counts = [...unsynced];
    unsynced.clear();
    for (const [keyId, requests] of counts) syncKey(keyId, requests).catch(() => {});
  };
  const timer = setInterval(syncAll, SETTLE_MS).unref();
  resources.defer(() => clearInterval(timer));

  return {
    add: (keyId) => {
      unsynced.set(keyId, (unsynced.get(keyId) ?? 0) + 1);
      const window = localCounter.get(keyId) ?? { requests: 0 };
      if (window.requests === 0) localCounter.set(keyId, window);
      window.requests += 1;
      return { requests: window.requests, resetsInMs: localCounter.getRemainingTTL(keyId) };
    },
  };
}
