import { busy } from '@survey/rpc/application-error.ts';
import { LRUCache } from 'lru-cache';
import type { ApiCaller } from './request-context.ts';
import { LOOKUP_FRESH_MS, REVOKED_MS, type CachedKey, type SharedKeyCache } from './shared-key-cache.ts';

export interface ApiKeys {
  /** Whose key has this SHA-256; undefined for no valid key. Throws the refusal `busy` when nothing that knows can be reached. */
  find(hash: Buffer): Promise<ApiCaller | undefined>;
  /** From now on the key is refused here, and by no later look-up of another gateway taken for valid. */
  revoke(hash: Buffer): void;
}

/** Asks the database. */
export type FindKey = (hash: Buffer) => Promise<ApiCaller | undefined>;

interface KnownKey {
  readonly caller: ApiCaller;
  // When to look it up again, in the time of performance.now(); requests meanwhile use what is known.
  refreshAt: number;
}

// Shorter: a key that was asked for before it was made should soon work.
const UNKNOWN_FRESH_MS = 2_000;
// A known key is looked up again so long before it expires, and again each second while that fails.
const REFRESH_BEFORE_MS = 5_000;
const REFRESH_RETRY_MS = 1_000;
const MAX_KEYS = 10_000;

/**
 * Key hash to caller: this process's memory, then Redis, then PostgreSQL; each answer carries how long it may still be believed. Keys in use are
 * looked up again before they expire, so that a slow database delays none of their requests. A revocation takes effect at once, also on look-ups
 * that are under way.
 */
export function openApiKeys(findKey: FindKey, shared: SharedKeyCache): ApiKeys {
  // Two, so that invented keys do not push out real ones.
  const callers = new LRUCache<string, KnownKey>({ max: MAX_KEYS, ttl: LOOKUP_FRESH_MS });
  const unknown = new LRUCache<string, true>({ max: MAX_KEYS, ttl: UNKNOWN_FRESH_MS });
  const lookUps = new Map<string, Promise<ApiCaller | undefined>>();

  const remember = (hash: string, { caller, freshForMs }: CachedKey): ApiCaller | undefined => {
    // Revoked while it was looked up.
    if (unknown.has(hash)) return undefined;
    if (caller === undefined) callers.delete(hash);
    // Already too old when it came, from a slow database: good for this request and no other. A ttl of 0 would mean for ever.
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
    // Whoever waits for it learns of the failure; the key is good until it expires.
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

// The age counts from before the question: what the answer says was true at some moment since.
async function ask(findKey: FindKey, hash: Buffer): Promise<CachedKey> {
  const askedAt = performance.now();
  try {
    const caller = await findKey(hash);
    const age = performance.now() - askedAt;
    return { caller, freshForMs: (caller === undefined ? UNKNOWN_FRESH_MS : LOOKUP_FRESH_MS) - age };
  } catch {
    throw busy('The API key cannot be checked at the moment. Retry with exponential backoff.');
  }
}
