import { busy } from '@survey/rpc/application-error.ts';
import { LRUCache } from 'lru-cache';
import type { ApiCaller } from './sql/find-api-keys.ts';
import { LOOKUP_FRESH_MS, REVOKED_MS, type CachedKey, type SharedKeyCache } from './shared-key-cache.ts';

export interface ApiKeys {
  /**
   * Returns the caller whose key has this SHA-256 hash, or undefined when no valid key has it.
   * @throws `busy` when neither a cache nor the database can answer.
   */
  find(hash: Buffer): Promise<ApiCaller | undefined>;
  /** Rejects the key from now on, in this gateway and in the shared cache. */
  revoke(hash: Buffer): void;
}

export type FindKey = (hash: Buffer) => Promise<ApiCaller | undefined>;

interface KnownKey {
  readonly caller: ApiCaller;
  // Time of the next lookup, on the clock of performance.now(); requests use this entry meanwhile.
  refreshAt: number;
}

// Short, so that a key works soon after its creation even when it was requested earlier.
const UNKNOWN_FRESH_MS = 2_000;
// A known key is looked up this long before it expires, then every second while the lookup fails.
const REFRESH_BEFORE_MS = 5_000;
const REFRESH_RETRY_MS = 1_000;
const MAX_KEYS = 10_000;

/**
 * Opens a cache of callers by key hash: this process, then Redis, then PostgreSQL. Keys in use are
 * refreshed before they expire, so that a slow database delays no request. A revocation takes
 * effect at once and also overrides running lookups.
 */
export function openApiKeys(findKey: FindKey, shared: SharedKeyCache): ApiKeys {
  // Separate caches, so that invented keys do not evict real ones.
  const callers = new LRUCache<string, KnownKey>({ max: MAX_KEYS, ttl: LOOKUP_FRESH_MS });
  const unknown = new LRUCache<string, true>({ max: MAX_KEYS, ttl: UNKNOWN_FRESH_MS });
  const lookUps = new Map<string, Promise<ApiCaller | undefined>>();

  const remember = (hash: string, { caller, freshForMs }: CachedKey): ApiCaller | undefined => {
    // Revoked during the lookup.
    if (unknown.has(hash)) return undefined;
    if (caller === undefined) callers.delete(hash);
    // Expired on arrival, because the database is slow: valid for this request only. A ttl of 0
    // would mean no expiry.
    if (freshForMs < 1) return caller;
    if (caller === undefined) unknown.set(hash, true, { ttl: freshForMs });
    else callers.set(hash, { caller, refreshAt: performance.now() + freshForMs - REFRESH_BEFORE_MS }, { ttl: freshForMs });
    return caller;
  };
  const askDatabase = async (hash: string, bytes: Buffer): Promise<ApiCaller | undefined> => {
    const found = await ask(findKey, bytes);
    const caller = remember(hash, found);
    if (caller === found.caller) void shared.add(hash, found);
    return caller;
  };
  const lookUp = async (hash: string, bytes: Buffer): Promise<ApiCaller | undefined> => {
    const cached = await shared.get(hash);
    return cached === undefined ? askDatabase(hash, bytes) : remember(hash, cached);
  };
  const once = (hash: string, start: () => Promise<ApiCaller | undefined>): Promise<ApiCaller | undefined> => {
    const running = lookUps.get(hash) ?? start().finally(() => lookUps.delete(hash));
    lookUps.set(hash, running);
    return running;
  };
  const refresh = (known: KnownKey, hash: string, bytes: Buffer): void => {
    known.refreshAt = performance.now() + REFRESH_RETRY_MS;
    // Callers that wait for the lookup receive its error; the cached entry stays valid until it
    // expires.
    once(hash, () => askDatabase(hash, bytes)).catch(() => {});
  };

  return {
    find: async (bytes) => {
      const hash = nameOf(bytes);
      const known = callers.get(hash);
      if (known !== undefined) {
        if (performance.now() >= known.refreshAt) refresh(known, hash, bytes);
        return known.caller;
      }
      return unknown.has(hash) ? undefined : once(hash, () => lookUp(hash, bytes));
    },
    revoke: (bytes) => {
      const hash = nameOf(bytes);
      unknown.set(hash, true, { ttl: REVOKED_MS });
      callers.delete(hash);
      void shared.markRevoked(hash);
    },
  };
}

const nameOf = (hash: Buffer): string => hash.toString('base64url');

// The age counts from before the query, because the result may be as old as that.
async function ask(findKey: FindKey, hash: Buffer): Promise<CachedKey> {
  const askedAt = performance.now();
  try {
    const caller = await findKey(hash);
    const age = performance.now() - askedAt;
    const freshForMs = caller === undefined ? UNKNOWN_FRESH_MS : Math.min(LOOKUP_FRESH_MS, caller.endsInMs ?? LOOKUP_FRESH_MS);
    return { caller, freshForMs: freshForMs - age };
  } catch {
    throw busy('The API key cannot be checked at the moment. Retry with exponential backoff.');
  }
}
