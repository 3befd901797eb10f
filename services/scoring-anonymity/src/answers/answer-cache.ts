import { AccountCache } from '@survey/postgres/account-cache.ts';
import type { AccountReader } from '@survey/postgres/replica.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { loadAnswers } from '../sql/load-answers.ts';
import type { AccountAnswers } from './account-answers.ts';

/** The answers of the accounts that were asked for last. */
export interface AnswerCache {
  get(accountId: number): AccountAnswers | undefined;
  // Tells that the answers have grown, and may have to make room.
  updateSize(accountId: number, answers: AccountAnswers): void;
  // They are no longer what the database has: they are loaded again when they are asked for.
  drop(accountId: number): void;
  // Begins to load an account, unless it would not fit or others are being loaded. Nobody waits for it: until then the database answers.
  load(accountId: number, answers: number): void;
  // Resolves when no load is under way.
  waitUntilIdle(): Promise<void>;
}

// Answers take 16 bytes, what they add up to up to one.
const BYTES_PER_ANSWER = 17;
// Each takes a connection.
const MAX_LOADS = 2;
// Also an account without answers takes some.
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
      log.warn({ err: error, account_id: accountId }, 'answers not loaded');
    } finally {
      loading.delete(accountId);
    }
  };
  const gauge: Gauge = new Gauge({
    name: 'answer_cache_bytes',
    help: 'Memory that answers take',
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
      if (loading.has(accountId) || loading.size >= MAX_LOADS || answers * BYTES_PER_ANSWER > maxBytes) return;
      loading.set(accountId, load(accountId));
    },
    waitUntilIdle,
  };
}
