import { AccountCache } from '@survey/postgres/account-cache.ts';
import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { loadAnswers } from './load-answers.ts';
import type { AccountAnswers } from './account-answers.ts';

/** Caches the answers of the most recently requested accounts. */
export interface AnswerCache {
  get(accountId: number): AccountAnswers | undefined;
  // Records that the answers grew; evicts other accounts when the cache is full.
  updateSize(accountId: number, answers: AccountAnswers): void;
  // Evicts answers that differ from the database. The next request loads them again.
  drop(accountId: number): void;
  // Starts loading an account in the background, unless it would not fit or the maximum of loads is
  // running. Until it completes, scores come from the database.
  load(accountId: number, answers: number): void;
  // Resolves when no load is running.
  waitUntilIdle(): Promise<void>;
}

// 16 bytes per answer, plus at most one byte for its share of the chunk totals.
const BYTES_PER_ANSWER = 17;
// Each load uses a connection.
const MAX_LOADS = 2;
// Size charged at least per account, even without answers.
const MIN_BYTES = 4_096;

export function createAnswerCache(read: AccountReader, maxBytes: number, context: ServiceContext): AnswerCache {
  const { log, metrics, resources } = context;
  const held = new AccountCache<AccountAnswers>({ maxSize: maxBytes, sizeOf: ({ bytes }) => Math.max(MIN_BYTES, bytes) });
  const loading = new Map<number, Promise<void>>();
  const load = async (accountId: number): Promise<void> => {
    try {
      const startedAt = performance.now();
      const answers = await read(accountId, (tx) => loadAnswers(tx, accountId));
      held.set(accountId, answers);
      log.info(
        { account_id: accountId, bytes: answers.bytes, duration_ms: Math.round(performance.now() - startedAt) },
        'answers loaded',
      );
    } catch (error) {
      log.warn({ err: error, account_id: accountId }, 'answer load failed');
    } finally {
      loading.delete(accountId);
    }
  };
  const gauge: Gauge = new Gauge({
    name: 'answer_cache_bytes',
    help: 'Size of the cached answers of all accounts, in bytes.',
    registers: [metrics],
    collect: () => {
      gauge.set(held.size);
    },
  });
  const waitUntilIdle = async (): Promise<void> => {
    await Promise.all(loading.values());
  };
  resources.defer(waitUntilIdle);
  return {
    get: (accountId) => held.get(accountId),
    updateSize: (accountId, answers) => held.set(accountId, answers),
    drop: (accountId) => held.delete(accountId),
    load: (accountId, answers) => {
      // The load may have ended since the caller found no cached answers.
      if (held.get(accountId) !== undefined || loading.has(accountId)) return;
      if (loading.size >= MAX_LOADS || answers * BYTES_PER_ANSWER > maxBytes) return;
      loading.set(accountId, load(accountId));
    },
    waitUntilIdle,
  };
}
