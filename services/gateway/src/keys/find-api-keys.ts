import type { ApiKeyScope } from '@survey/formats/api-key.ts';
import type { Queryable } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';
import { counter, type Metrics } from '@survey/process/metrics.ts';

/** Owner and permissions of an API key. */
export interface ApiCaller {
  readonly accountId: number;
  readonly keyId: string;
  readonly scope: ApiKeyScope;
  // Requests per minute; null: the default limit.
  readonly rateLimit: number | null;
  // Time until the key ends, in ms, as of its lookup; absent without an end.
  readonly endsInMs?: number;
}

/** The caller whose key is valid. Revoked keys are unknown; an expired one ended by itself. */
export type KeyState = ApiCaller | 'expired' | 'unknown';

interface KeyRow {
  ordinal: number;
  account_id: number;
  key_id: string;
  scope: ApiKeyScope;
  rate_limit: number | null;
  ends_in_ms: number | null;
}

// Enforced by the client, because a frozen server cannot enforce it.
const TIMEOUT_MS = 2_000;

/** Returns the states of the keys with these hashes, in the same order. */
export async function findApiKeys(db: Queryable, hashes: readonly Buffer[]): Promise<KeyState[]> {
  const query = {
    text: `
      select asked.ordinal::integer, found.account_id, found.key_id, found.scope, found.rate_limit, found.ends_in_ms
      from unnest($1::bytea[]) with ordinality as asked (hash, ordinal)
      cross join lateral admin.find_key(asked.hash) as found`,
    values: [hashes],
    query_timeout: TIMEOUT_MS,
  };
  const { rows } = await db.query<KeyRow>(query);
  const states = new Map(rows.map((row) => [row.ordinal - 1, stateOf(row)]));
  return hashes.map((_, index) => states.get(index) ?? 'unknown');
}

function stateOf({ account_id, key_id, scope, rate_limit, ends_in_ms }: KeyRow): KeyState {
  if (ends_in_ms !== null && ends_in_ms <= 0) return 'expired';
  const caller = { accountId: account_id, keyId: key_id, scope, rateLimit: rate_limit };
  return ends_in_ms === null ? caller : { ...caller, endsInMs: ends_in_ms };
}

export type FindKey = (hash: Buffer) => Promise<KeyState>;

/** Finds the states of several keys in one SQL statement, in the order of their hashes. */
export type FindKeys = (hashes: readonly Buffer[]) => Promise<readonly KeyState[]>;

// Smaller than the pool, so that lookups never take all of its connections.
const MAX_CONCURRENT = 2;
const MAX_BATCH = 500;

interface Lookup {
  readonly hash: Buffer;
  readonly result: PromiseWithResolvers<KeyState>;
}

/**
 * Batches key lookups into few SQL statements: lookups that arrive while statements run share the
 * next one.
 */
export function batchLookups(findKeys: FindKeys, { log, metrics }: { log: Log; metrics: Metrics }): FindKey {
  const lookups = counter(metrics, {
    name: 'api_key_lookups_total',
    help: 'API keys looked up in PostgreSQL, by outcome.',
    labelNames: ['outcome'],
  });
  const queued: Lookup[] = [];
  let running = 0;

  const runNext = async (): Promise<void> => {
    const batch = queued.splice(0, MAX_BATCH);
    running += 1;
    try {
      const states = await findKeys(batch.map(({ hash }) => hash));
      for (const [index, { result }] of batch.entries()) {
        const state = states[index] ?? 'unknown';
        lookups.inc({ outcome: typeof state === 'string' ? state : 'found' });
        result.resolve(state);
      }
    } catch (error) {
      lookups.inc({ outcome: 'failed' }, batch.length);
      log.error({ err: error, count: batch.length }, 'key lookup failed');
      for (const { result } of batch) result.reject(error);
    } finally {
      running -= 1;
      start();
    }
  };
  const start = (): void => {
    if (queued.length > 0 && running < MAX_CONCURRENT) void runNext();
  };
  return (hash) => {
    const result = Promise.withResolvers<KeyState>();
    queued.push({ hash, result });
    // Lookups of the same event loop turn share a statement.
    setImmediate(start);
    return result.promise;
  };
}
