import { AccountCache } from '@survey/postgres/account-cache.ts';
import { readBinaryCopy } from '@survey/postgres/stream-rows.ts';
import { allowLongStatements, type Client, inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { counter, Gauge, initializeToZero } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { busy } from '@survey/rpc/application-error.ts';
import { AccountAnswers } from './account-answers.ts';
import { type AnswerRow, readSnapshot } from './account-snapshot.ts';
import { BYTES_PER_ANSWER } from './answer-columns.ts';

/** Cache of the answer columns of the most recently read accounts. */
export interface AnswerCache {
  // Loads the account when it is not cached: some seconds for two million answers. Throws `busy`
  // when the account does not fit.
  get(accountId: number): Promise<AccountAnswers>;
  // Must be called when the account takes more bytes; may evict other accounts.
  updateSize(accountId: number, answers: AccountAnswers): void;
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
  const cache = new AccountCache<AccountAnswers>({
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
  const store = (accountId: number, answers: AccountAnswers): void => {
    if (answers.bytes > maxBytes) answers.trim();
    cache.set(accountId, answers);
  };
  const load = async (accountId: number): Promise<AccountAnswers> => {
    const startedAt = performance.now();
    try {
      const answers = await inAccountSnapshot(pool, accountId, (tx) => loadAnswers(tx, accountId, maxBytes));
      store(accountId, answers);
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
      gauge.set(cache.size);
    },
  });
  return {
    get: (accountId) => {
      const cached = cache.get(accountId);
      if (cached !== undefined) return Promise.resolve(cached);
      const underway = loading.get(accountId) ?? slots.run(() => load(accountId)).finally(() => loading.delete(accountId));
      loading.set(accountId, underway);
      return underway;
    },
    updateSize: store,
    drop: (accountId) => cache.delete(accountId),
  };
}

const MAX_LOAD_MS = 10 * 60_000;
// Options in all sets that people of an account had when they answered. While they are read, each
// takes 20 bytes, which a larger cache has room for.
const MAX_OPTIONS = 6_000_000;
const BYTES_PER_OPTION = 20;

/** Thrown when the answers of an account exceed memory; ANSWER_CACHE_MB must be raised. */
class TooManyAnswersError extends Error {
  override readonly name = 'TooManyAnswersError';
}

/**
 * Loads the values that decide which answers of an account are shown, in a transaction with one
 * database snapshot. Texts are not loaded.
 * @throws TooManyAnswersError when they take more than `maxBytes`, or people had too many options.
 */
async function loadAnswers(tx: Client, accountId: number, maxBytes: number): Promise<AccountAnswers> {
  // If the statistics do not know the account yet, PostgreSQL expects one answer, and would compare
  // each answer with each response (docs/adr/0029-no-plan-depends-on-neighbours.md).
  await allowLongStatements(tx, MAX_LOAD_MS, { enable_nestloop: 'off' });
  const { rows } = await tx.query<{ options: number }>(
    'select coalesce(sum(cardinality(option_ids)), 0)::bigint as options from text.option_set where account_id = $1::bigint',
    [accountId],
  );
  const options = rows[0]?.options ?? 0;
  if (options > Math.max(MAX_OPTIONS, maxBytes / BYTES_PER_OPTION))
    throw new TooManyAnswersError(`cannot load answers: people had ${options} options together`);
  const { changes, timeline, answers: count } = await readSnapshot(tx, { accountId, cached: undefined, optionIds: [] });
  if (changes === undefined) throw new Error('expected changes for an account that is not cached');
  const bytes = count * BYTES_PER_ANSWER;
  if (bytes > maxBytes) throw new TooManyAnswersError(`cannot load answers: ${count} answers take ${bytes} bytes of ${maxBytes}`);
  const answers = new AccountAnswers(timeline);
  await copyAnswers(tx, accountId, (answer) => answers.append(answer));
  answers.follow(changes);
  answers.trim();
  return answers;
}

type OnAnswer = (answer: AnswerRow) => void;

/** Selects the answers that are not removed, sorted by sort key. */
const SELECT_ANSWERS = `
select a.sort_key, a.id, a.question_id, r.cycle, r.respondent, r.option_set, r.imported, coalesce(m.policy, 0), coalesce(b.block, -1), a.is_withheld
from text.answer a
join text.response r on r.account_id = a.account_id and r.id = a.response_id
left join text.masked_text m on m.account_id = a.account_id and m.answer = a.id
left join text.block_answer b on b.account_id = a.account_id and b.answer = a.id
where a.account_id = $1 and a.content is not null
order by a.sort_key, a.response_id, a.question_id`;

/** Reads the answers that are not removed, sorted by sort key. */
async function copyAnswers(tx: Client, accountId: number, onAnswer: OnAnswer): Promise<void> {
  // COPY takes no parameters; inAccountSnapshot has checked that the account is a number.
  await readBinaryCopy(tx, `copy (${SELECT_ANSWERS.replace('$1', String(accountId))}) to stdout (format binary)`, (bytes, from) =>
    readRows(bytes, from, onAnswer),
  );
}

// A row is a column count, then for each column a length and its bytes: 2 + 3 * (4+8) + 5 * (4+4) +
// 2 * (4+1).
const ROW_BYTES = 88;

// Returns the offset of the first incomplete one.
function readRows(bytes: Buffer, from: number, onAnswer: OnAnswer): number {
  let at = from;
  for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES) {
    onAnswer({
      sortKey: bytes.readBigInt64BE(at + 6),
      id: bytes.readInt32BE(at + 18),
      questionId: Number(bytes.readBigInt64BE(at + 26)),
      cycle: bytes.readInt32BE(at + 38),
      respondent: bytes.readInt32BE(at + 46),
      optionSet: bytes.readInt32BE(at + 54),
      imported: bytes[at + 62] === 1,
      policy: Number(bytes.readBigInt64BE(at + 67)),
      gone: false,
      block: bytes.readInt32BE(at + 79),
      withheld: bytes[at + 87] === 1,
    });
  }
  return at;
}

/** Slots, assigned in first-come order. */
class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Runs the work as soon as a slot is free. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Passed on, not freed: no later caller can take the slot first.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
