import { AccountCache } from '@survey/postgres/account-cache.ts';
import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { initializeToZero, counter, Gauge } from '@survey/process/metrics.ts';
import { Semaphore } from '@survey/process/semaphore.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { busy } from '@survey/rpc/application-error.ts';
import { loadAnswers, TooManyAnswersError } from './load-answers.ts';
import type { AccountAnswers } from './account-answers.ts';

/** Cache of the answer columns of the most recently read accounts. */
export interface AnswerCache {
  // Loads the account when it is not cached: some seconds for two million answers. Throws `busy`
  // when the account does not fit.
  get(accountId: number): Promise<AccountAnswers>;
  // Must be called when the account takes more bytes; may evict other accounts.
  resized(accountId: number, answers: AccountAnswers): void;
  // Evicts these answers when they no longer match the database.
  drop(accountId: number): void;
}

// Size charged for every account, also one without answers.
const MIN_BYTES = 4_096;
// Accounts that no client reads for this long are evicted.
const MAX_IDLE_MS = 60 * 60_000;
// Each load takes a connection and up to the whole size of the cache.
const MAX_CONCURRENT_LOADS = 2;

export function createAnswerCache(pool: Pool, maxBytes: number, { log, metrics }: ServiceContext): AnswerCache {
  const held = new AccountCache<AccountAnswers>({
    maxSize: maxBytes,
    sizeOf: ({ bytes }) => Math.max(MIN_BYTES, bytes),
    maxIdleMs: MAX_IDLE_MS,
  });
  const slots = new Semaphore(MAX_CONCURRENT_LOADS);
  const loading = new Map<number, Promise<AccountAnswers>>();
  const loads = counter(metrics, {
    name: 'answers_loads_total',
    help: 'Account loads into the answer cache, by outcome: loaded, too_large (for ANSWER_CACHE_MB) or failed.',
    labelNames: ['outcome'],
  });
  initializeToZero(
    loads,
    ['loaded', 'too_large', 'failed'].map((outcome) => ({ outcome })),
  );
  const set = (accountId: number, answers: AccountAnswers): void => {
    if (answers.bytes > maxBytes) answers.trim();
    held.set(accountId, answers);
  };
  const load = async (accountId: number): Promise<AccountAnswers> => {
    const startedAt = performance.now();
    try {
      const answers = await inAccountSnapshot(pool, accountId, (tx) => loadAnswers(tx, accountId, maxBytes));
      set(accountId, answers);
      log.info(
        { account_id: accountId, bytes: answers.bytes, duration_ms: Math.round(performance.now() - startedAt) },
        'answers loaded',
      );
      loads.inc({ outcome: 'loaded' });
      return answers;
    } catch (error) {
      const isTooLarge = error instanceof TooManyAnswersError;
      loads.inc({ outcome: isTooLarge ? 'too_large' : 'failed' });
      if (!isTooLarge) throw error;
      log.error({ err: error, account_id: accountId }, 'account rejected by answer cache');
      throw busy('The account has more answers than the service can hold. Contact the operator.');
    }
  };
  const gauge: Gauge = new Gauge({
    name: 'answer_cache_bytes',
    help: 'Memory of the answer cache, in bytes.',
    registers: [metrics],
    collect: () => {
      gauge.set(held.size);
    },
  });
  return {
    get: (accountId) => {
      const known = held.get(accountId);
      if (known !== undefined) return Promise.resolve(known);
      const underway = loading.get(accountId) ?? slots.run(() => load(accountId)).finally(() => loading.delete(accountId));
      loading.set(accountId, underway);
      return underway;
    },
    resized: set,
    drop: (accountId) => held.delete(accountId),
  };
}
