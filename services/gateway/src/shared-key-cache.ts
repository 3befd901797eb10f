import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Log } from '@survey/process/log.ts';
import { initializeToZero, counter, type Metrics } from '@survey/process/metrics.ts';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ApiCaller } from './sql/find-api-keys.ts';

export interface CachedKey {
  // Undefined: no such key exists.
  readonly caller: ApiCaller | undefined;
  readonly freshForMs: number;
}

/** Cache of callers in Redis, shared by all gateways. Optional: any error counts as a miss. */
export interface SharedKeyCache {
  get(hash: string): Promise<CachedKey | undefined>;
  // Never replaces an entry: a lookup that began before a revocation must not undo it.
  add(hash: string, key: CachedKey): Promise<void>;
  markRevoked(hash: string): Promise<void>;
}

/**
 * Maximum age of a result of PostgreSQL over all caches, in ms. Without the bus, a revocation takes
 * effect within 10 s.
 */
export const LOOKUP_FRESH_MS = 9_000;
export const REVOKED_MS = 60_000;

const entry = z.object({
  // Milliseconds on the clock of the gateway that wrote the entry.
  expiresAt: z.int(),
  caller: z
    .object({
      accountId: z.int().positive(),
      keyId: z.string(),
      scope: z.enum(['read', 'employees:write']),
      rateLimit: z.int().nullable(),
    })
    .nullable(),
});

interface Authenticity {
  /** Shared by all gateways. */
  readonly secret: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** An empty cache: each gateway looks up keys itself. */
export const NO_SHARED_KEYS: SharedKeyCache = {
  get: () => Promise.resolve(undefined),
  add: () => Promise.resolve(),
  markRevoked: () => Promise.resolve(),
};

/**
 * Opens the cache in Redis. Each entry is authenticated with the gateways' secret and bound to its
 * key hash and expiry, so write access to Redis allows neither forged accounts nor replayed
 * entries.
 */
export function sharedKeyCache(redis: Redis, { secret, log, metrics }: Authenticity): SharedKeyCache {
  const rejected = counter(metrics, {
    name: 'api_key_cache_rejected_total',
    help: 'Cached API keys rejected because they were expired or not written by a gateway.',
  });
  initializeToZero(rejected, [{}]);
  const macOf = (hash: string, text: string): Buffer => createHmac('sha256', secret).update(`${hash}\n${text}`).digest();
  const encode = (hash: string, { caller, freshForMs }: CachedKey): string => {
    const text = JSON.stringify({ expiresAt: Date.now() + Math.ceil(freshForMs), caller: caller ?? null });
    return `${macOf(hash, text).toString('base64url')}.${text}`;
  };
  const decode = (hash: string, value: string): CachedKey | undefined => {
    const dot = value.indexOf('.');
    const mac = Buffer.from(value.slice(0, Math.max(0, dot)), 'base64url');
    const text = value.slice(dot + 1);
    const expected = macOf(hash, text);
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return undefined;
    const { expiresAt, caller } = entry.parse(JSON.parse(text));
    const freshForMs = expiresAt - Date.now();
    return freshForMs > 0 ? { caller: caller ?? undefined, freshForMs } : undefined;
  };
  const read = async (hash: string): Promise<CachedKey | undefined> => {
    const askedAt = performance.now();
    const name = nameOf(hash);
    const [value, ttl] = (await redis.multi().get(name).pttl(name).exec()) ?? [];
    const text = value?.[1];
    if (typeof text !== 'string') return undefined;
    const key = decode(hash, text);
    if (key === undefined) {
      rejected.inc();
      log.warn('cached key rejected');
      return undefined;
    }
    // Limited by the time to live, too, because the clocks of the gateways may differ.
    const freshForMs = Math.min(key.freshForMs, Number(ttl?.[1]) - (performance.now() - askedAt));
    return freshForMs > 0 ? { caller: key.caller, freshForMs: Math.min(freshForMs, LOOKUP_FRESH_MS) } : undefined;
  };
  const write = (hash: string, key: CachedKey, ...condition: ['NX'] | []): Promise<unknown> =>
    // ioredis has a separate overload for each form of SET.
    redis.call('set', nameOf(hash), encode(hash, key), 'PX', Math.ceil(key.freshForMs), ...condition).catch(() => {});
  return {
    get: (hash) => read(hash).catch(() => undefined),
    add: async (hash, key) => void (await write(hash, key, 'NX')),
    markRevoked: async (hash) => void (await write(hash, { caller: undefined, freshForMs: REVOKED_MS })),
  };
}

const nameOf = (hash: string): string => `gateway:api-key:${hash}`;
