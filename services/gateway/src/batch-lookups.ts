import type { Log } from '@survey/process/log.ts';
import { counter, type Metrics } from '@survey/process/metrics.ts';
import type { FindKey } from './api-keys.ts';
import type { ApiCaller } from './request-context.ts';

/** Finds the callers of several key hashes in one statement, in the same order. */
export type FindKeys = (hashes: readonly Buffer[]) => Promise<readonly (ApiCaller | undefined)[]>;

// Below the pool's size: its connections suffice whatever is asked.
const MAX_CONCURRENT = 2;
const MAX_BATCH = 500;

interface Lookup {
  readonly hash: Buffer;
  readonly result: PromiseWithResolvers<ApiCaller | undefined>;
}

/** Looks up keys in few statements: those asked for while statements are running are the next one's. */
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
    // Keys that are asked for in the same turn of the event loop share a statement.
    setImmediate(start);
    return result.promise;
  };
}
