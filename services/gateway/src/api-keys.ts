import type { Log } from '@survey/process/log.ts';
import { busy } from '@survey/rpc/refusal.ts';
import { LRUCache } from 'lru-cache';
import type { ApiCaller } from './exchange.ts';
import type { CachedKey, SharedKeyCache } from './shared-key-cache.ts';

export interface ApiKeys {
  /** Whose key has this SHA-256; undefined for no valid key. Throws the refusal `busy` when nothing that knows can be reached. */
  find(hash: Buffer): Promise<ApiCaller | undefined>;
  /** From now on the key is refused here, and by no later look-up of another gateway taken for valid. */
  revoke(hash: Buffer): void;
}

/** Asks the database. */
export type FindKey = (hash: Buffer) => Promise<ApiCaller | undefined>;

// How long an answer of PostgreSQL is believed, in all caches together. 10 s is what is promised for a revocation without the bus.
const FRESH_MS = 9_000;
// Shorter: a key that was asked for before it was made should soon work.
const UNKNOWN_FRESH_MS = 2_000;
const REVOKED_MS = 60_000;
const MOST_KEYS = 10_000;

/**
 * Key hash to caller: this process's memory, then Redis, then PostgreSQL; each answer carries how long it may still be believed. A
 * revocation takes effect at once, also on look-ups that are under way.
 */
export function openApiKeys(findKey: FindKey, shared: SharedKeyCache, log: Log): ApiKeys {
  // Two, so that invented keys do not push out real ones.
  const callers = new LRUCache<string, ApiCaller>({ max: MOST_KEYS, ttl: FRESH_MS });
  const unknown = new LRUCache<string, true>({ max: MOST_KEYS, ttl: UNKNOWN_FRESH_MS });
  const lookUps = new Map<string, Promise<ApiCaller | undefined>>();

  const remember = (hash: string, { caller, freshForMs }: CachedKey): ApiCaller | undefined => {
    // Revoked while it was looked up.
    if (unknown.has(hash)) return undefined;
    // Already too old when it came, from a slow database: good for this request and no other. A ttl of 0 would mean for ever.
    if (freshForMs < 1) return caller;
    if (caller === undefined) unknown.set(hash, true, { ttl: freshForMs });
    else callers.set(hash, caller, { ttl: freshForMs });
    return caller;
  };
  const lookUp = async (hash: string, bytes: Buffer): Promise<ApiCaller | undefined> => {
    const cached = await shared.get(hash);
    if (cached !== undefined) return remember(hash, cached);
    const found = await ask(findKey, bytes, log);
    const caller = remember(hash, found);
    if (caller === found.caller) void shared.add(hash, found);
    return caller;
  };

  return {
    find: async (bytes) => {
      const hash = nameOf(bytes);
      const caller = callers.get(hash);
      if (caller !== undefined) return caller;
      if (unknown.has(hash)) return undefined;
      const running = lookUps.get(hash) ?? lookUp(hash, bytes).finally(() => lookUps.delete(hash));
      lookUps.set(hash, running);
      return running;
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
async function ask(findKey: FindKey, hash: Buffer, log: Log): Promise<CachedKey> {
  const askedAt = performance.now();
  try {
    const caller = await findKey(hash);
    const age = performance.now() - askedAt;
    return { caller, freshForMs: (caller === undefined ? UNKNOWN_FRESH_MS : FRESH_MS) - age };
  } catch (error) {
    log.error({ err: error }, 'a key could not be looked up');
    throw busy('The API key cannot be checked at the moment. Try again, with exponential backoff.');
  }
}
