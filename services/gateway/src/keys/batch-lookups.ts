import type { Log } from '@survey/process/log.ts';
import { counter, type Metrics } from '@survey/process/metrics.ts';
import type { FindKey } from './api-keys.ts';
import type { ApiCaller } from './find-api-keys.ts';

/** Finds the callers of several key hashes in one SQL statement, in the order of the hashes. */
export type FindKeys = (hashes: readonly Buffer[]) => Promise<readonly (ApiCaller | undefined)[]>;

// Smaller than the pool, so that lookups never take all of its connections.
const MAX_CONCURRENT = 2;
const MAX_BATCH = 500;

interface Lookup {
  readonly hash: Buffer;
  readonly result: PromiseWithResolvers<ApiCaller | undefined>;
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
      const callers = await findKeys(batch.map(({ hash }) => hash));
      for (const [index, { result }] of batch.entries()) {
        lookups.inc({ outcome: callers[index] === undefined ? 'unknown' : 'found' });
        result.resolve(callers[index]);
      }
    } catch (error) {
      lookups.inc({ outcome: 'failed' }, batch.length);
      log.error({ err: error, keys: batch.length }, 'key lookup failed');
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
    const result = Promise.withResolvers<ApiCaller | undefined>();
    queued.push({ hash, result });
    // Lookups of the same event loop turn share a statement.
    setImmediate(start);
    return result.promise;
  };
}
