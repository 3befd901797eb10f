import { subscribe, type BusConnection } from '@survey/bus/connection.ts';
import type { Log } from '@survey/process/log.ts';
import { KeyRevoked } from '@survey/proto/events/v1/events.ts';
import { busy } from '@survey/rpc/application-error.ts';
import { LRUCache } from 'lru-cache';
import type { ApiCaller, FindKey, KeyState } from './find-api-keys.ts';

export interface ApiKeys {
  /**
   * Returns the caller whose key has this SHA-256 hash, or why there is none.
   * @throws `busy` when neither the cache nor the database can answer.
   */
  find(hash: Buffer): Promise<KeyState>;
  /** Rejects the key from now on. */
  revoke(hash: Buffer): void;
}

interface CachedCaller {
  readonly caller: ApiCaller;
  // Time of the next lookup, on the clock of performance.now(); until it ends, requests use this
  // entry.
  refreshAt: number;
}

interface Lookup {
  readonly state: KeyState;
  readonly freshForMs: number;
}

// While the bus is unavailable, a revocation takes effect only when the cached caller expires, and
// we promise 10 s. The price is load: a key in use is looked up every 4 s (LOOKUP_FRESH_MS -
// REFRESH_BEFORE_MS) by each gateway, so 5,000 keys in use cause 1,250 lookups per second. They
// share statements (find-api-keys.ts), and no request waits for them.
const LOOKUP_FRESH_MS = 9_000;
// Short, so that a key works soon after its creation even when it was requested earlier.
const REJECTED_FRESH_MS = 2_000;
// Longer than any lookup that may have begun before the revocation.
const REVOKED_MS = 60_000;
// A cached key is looked up this long before it expires, then every second while the lookup fails.
const REFRESH_BEFORE_MS = 5_000;
const REFRESH_RETRY_MS = 1_000;
const MAX_KEYS = 10_000;

/**
 * Opens a cache of callers by key hash in front of PostgreSQL. Keys in use are refreshed before
 * they expire, so that a slow database delays no request. A revocation takes effect at once and
 * also overrides running lookups.
 */
export function openApiKeys(findKey: FindKey): ApiKeys {
  // Separate caches, so that invented keys do not evict real ones.
  const callers = new LRUCache<string, CachedCaller>({ max: MAX_KEYS, ttl: LOOKUP_FRESH_MS });
  const rejected = new LRUCache<string, 'expired' | 'unknown'>({ max: MAX_KEYS, ttl: REJECTED_FRESH_MS });
  const lookups = new Map<string, Promise<KeyState>>();

  const store = (hash: string, { state, freshForMs }: Lookup): KeyState => {
    // Revoked during the lookup.
    const rejectedSince = rejected.get(hash);
    if (rejectedSince !== undefined) return rejectedSince;
    if (typeof state === 'string') callers.delete(hash);
    // Expired on arrival, because the database is slow: valid for this request only. A ttl of 0
    // would mean no expiry.
    if (freshForMs < 1) return state;
    if (typeof state === 'string') rejected.set(hash, state, { ttl: freshForMs });
    else callers.set(hash, { caller: state, refreshAt: performance.now() + freshForMs - REFRESH_BEFORE_MS }, { ttl: freshForMs });
    return state;
  };
  // Concurrent requests with the same key share a lookup.
  const lookUpOnce = (hash: string, bytes: Buffer): Promise<KeyState> => {
    const lookup =
      lookups.get(hash) ??
      lookUp(findKey, bytes)
        .then((result) => store(hash, result))
        .finally(() => lookups.delete(hash));
    lookups.set(hash, lookup);
    return lookup;
  };
  const refresh = (cached: CachedCaller, hash: string, bytes: Buffer): void => {
    cached.refreshAt = performance.now() + REFRESH_RETRY_MS;
    // Callers that wait for the lookup receive its error; the cached entry remains valid until it
    // expires.
    lookUpOnce(hash, bytes).catch(() => {});
  };

  return {
    find: async (bytes) => {
      const hash = nameOf(bytes);
      const cached = callers.get(hash);
      if (cached !== undefined) {
        if (performance.now() >= cached.refreshAt) refresh(cached, hash, bytes);
        return cached.caller;
      }
      return rejected.get(hash) ?? lookUpOnce(hash, bytes);
    },
    revoke: (bytes) => {
      const hash = nameOf(bytes);
      rejected.set(hash, 'unknown', { ttl: REVOKED_MS });
      callers.delete(hash);
    },
  };
}

const nameOf = (hash: Buffer): string => hash.toString('base64url');

// The age counts from before the query, because the result may be as old as that.
async function lookUp(findKey: FindKey, hash: Buffer): Promise<Lookup> {
  const startedAt = performance.now();
  try {
    const state = await findKey(hash);
    const age = performance.now() - startedAt;
    const freshForMs =
      typeof state === 'string' ? REJECTED_FRESH_MS : Math.min(LOOKUP_FRESH_MS, state.endsInMs ?? LOOKUP_FRESH_MS);
    return { state, freshForMs: freshForMs - age };
  } catch {
    throw busy('The API key cannot be checked at the moment. Retry with exponential backoff.');
  }
}

/**
 * Rejects keys as soon as account-admin publishes their revocation. A gateway whose bus is
 * unavailable rejects them when it next looks them up.
 */
export function listenForRevocations(bus: BusConnection, keys: ApiKeys, log: Log): void {
  subscribe(bus, 'events.key.revoked', (payload) => {
    try {
      keys.revoke(KeyRevoked.decode(payload).key_hash);
    } catch (error) {
      log.error({ err: error }, 'revocation message rejected');
    }
  });
}
