import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ApiCaller } from './exchange.ts';

export interface CachedKey {
  // Undefined: there is no such key.
  readonly caller: ApiCaller | undefined;
  readonly freshForMs: number;
}

/** What all gateways know about keys, in Redis. It only saves work: whatever goes wrong with it is a miss. */
export interface SharedKeyCache {
  get(hash: string): Promise<CachedKey | undefined>;
  // Never replaces what is there: a look-up that began before a revocation must not undo it.
  add(hash: string, key: CachedKey): Promise<void>;
  markRevoked(hash: string): Promise<void>;
}

const NO_SUCH_KEY = 'none';
const REVOKED_FOR_MS = 60_000;

const entry = z.object({
  accountId: z.int(),
  keyId: z.string(),
  scope: z.enum(['read', 'employees:write']),
  rateLimit: z.int().nullable(),
});

export function sharedKeyCache(redis: Redis): SharedKeyCache {
  return {
    get: (hash) => read(redis, nameOf(hash)).catch(() => undefined),
    add: async (hash, { caller, freshForMs }) => {
      const value = caller === undefined ? NO_SUCH_KEY : JSON.stringify(caller);
      await redis.set(nameOf(hash), value, 'PX', Math.ceil(freshForMs), 'NX').catch(() => {});
    },
    markRevoked: async (hash) => {
      await redis.set(nameOf(hash), NO_SUCH_KEY, 'PX', REVOKED_FOR_MS).catch(() => {});
    },
  };
}

const nameOf = (hash: string): string => `gateway:api-key:${hash}`;

// The time to live tells the age of what is read: clocks of several machines need not agree.
async function read(redis: Redis, name: string): Promise<CachedKey | undefined> {
  const askedAt = performance.now();
  const [value, ttl] = (await redis.multi().get(name).pttl(name).exec()) ?? [];
  const text = value?.[1];
  const freshForMs = Number(ttl?.[1]) - (performance.now() - askedAt);
  if (typeof text !== 'string' || !(freshForMs > 0)) return undefined;
  return { caller: text === NO_SUCH_KEY ? undefined : entry.parse(JSON.parse(text)), freshForMs };
}
