import { readAccount, type Pool } from '@survey/postgres/database.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { LRUCache } from 'lru-cache';
import { loadAnswers } from '../sql/load-answers.ts';
import type { AccountAnswers } from './account-answers.ts';

/** What is known of the answers of the accounts that were asked for last. */
export interface AnswerMemory {
  // Loads an account that is not there: two million answers take some seconds.
  get(accountId: number): Promise<AccountAnswers>;
  // Tells that the account takes more room, and others may have to go.
  resized(accountId: number, answers: AccountAnswers): void;
  // It is no longer what the database has: it is loaded again when it is asked for.
  drop(accountId: number): void;
}

// Also an account without answers takes some.
const SMALLEST_BYTES = 4_096;
// Nobody asks for an account all day.
const IDLE_MS = 60 * 60_000;

export function rememberAnswers(pool: Pool, maxBytes: number, { log, metrics }: ServiceTools): AnswerMemory {
  const held = new LRUCache<number, AccountAnswers>({
    maxSize: maxBytes,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    ttlAutopurge: true,
  });
  const loading = new Map<number, Promise<AccountAnswers>>();
  const set = (accountId: number, answers: AccountAnswers): void => {
    held.set(accountId, answers, { size: Math.max(SMALLEST_BYTES, answers.bytes) });
  };
  const load = async (accountId: number): Promise<AccountAnswers> => {
    const startedAt = performance.now();
    const answers = await readAccount(pool, accountId, (tx) => loadAnswers(tx, accountId));
    set(accountId, answers);
    log.info({ accountId, bytes: answers.bytes, ms: Math.round(performance.now() - startedAt) }, 'answers loaded');
    return answers;
  };
  const gauge: Gauge = new Gauge({
    name: 'answers_held_bytes',
    help: 'Memory that what is known of answers takes',
    registers: [metrics],
    collect: () => {
      gauge.set(held.calculatedSize);
    },
  });
  return {
    get: (accountId) => {
      const known = held.get(accountId);
      if (known !== undefined) return Promise.resolve(known);
      const underway = loading.get(accountId) ?? load(accountId).finally(() => loading.delete(accountId));
      loading.set(accountId, underway);
      return underway;
    },
    resized: set,
    drop: (accountId) => held.delete(accountId),
  };
}
