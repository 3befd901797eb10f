import { AccountCache } from '@survey/postgres/account-cache.ts';
import { int8At, readBinaryCopy } from '@survey/postgres/stream-rows.ts';
import { allowLongStatements, type Client } from '@survey/postgres/database.ts';
import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import { TIMELINE } from '@survey/postgres/replica/timeline.ts';
import { Gauge, Histogram } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { AccountAnswers } from './account-answers.ts';
import type { AnswerColumn } from './column.ts';

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
  const accounts = new AccountCache<AccountAnswers>({ maxSize: maxBytes, sizeOf: ({ bytes }) => Math.max(MIN_BYTES, bytes) });
  const loading = new Map<number, Promise<void>>();
  const duration = new Histogram({
    name: 'answers_load_duration_seconds',
    help: 'Duration of loads of all answers of an account, in seconds. Until one ends, its scores are computed by PostgreSQL.',
    buckets: [0.1, 0.5, 1, 5, 15, 60],
    registers: [metrics],
  });
  const load = async (accountId: number): Promise<void> => {
    try {
      const stopTimer = duration.startTimer();
      const answers = await read(accountId, (tx) => loadAnswers(tx, accountId));
      accounts.set(accountId, answers);
      log.info({ account_id: accountId, bytes: answers.bytes, duration_ms: Math.round(1_000 * stopTimer()) }, 'answers loaded');
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
      gauge.set(accounts.size);
    },
  });
  const waitUntilIdle = async (): Promise<void> => {
    await Promise.all(loading.values());
  };
  resources.defer(waitUntilIdle);
  return {
    get: (accountId) => accounts.get(accountId),
    updateSize: (accountId, answers) => accounts.set(accountId, answers),
    drop: (accountId) => accounts.delete(accountId),
    load: (accountId, answers) => {
      // The load may have ended since the caller found no cached answers.
      if (accounts.get(accountId) !== undefined || loading.has(accountId)) return;
      if (loading.size >= MAX_LOADS || answers * BYTES_PER_ANSWER > maxBytes) return;
      loading.set(accountId, load(accountId));
    },
    waitUntilIdle,
  };
}

const MAX_LOAD_MS = 10 * 60_000;

/**
 * Loads all numeric answers of an account. The transaction must use one database snapshot.
 * @throws if its people have chosen too many different sets of options
 */
export async function loadAnswers(tx: Client, accountId: number): Promise<AccountAnswers> {
  await allowLongStatements(tx, MAX_LOAD_MS);
  const { choices, ...state } = await readAnswerState(tx, accountId);
  if (choices === null) throw new Error(`the choices of the account have more than ${MAX_CHOSEN} options`);
  const answers = new AccountAnswers({ ...state, choices });
  let column: AnswerColumn | undefined;
  let columnQuestionId = 0;
  // Rows are sorted by question, so one column grows at a time.
  await copyAnswers(tx, accountId, (questionId, submittedUs, respondent, choice) => {
    if (column === undefined || questionId !== columnQuestionId) {
      const next = answers.column(questionId);
      if (column !== undefined) next.rows.takeBuffersOf(column.rows);
      [column, columnQuestionId] = [next, questionId];
    }
    column.append(submittedUs, respondent, choice);
  });
  column?.rows.trim();
  return answers;
}

// Options in all choices of an account: 40 MB.
const MAX_CHOSEN = 3_000_000;

const STATE = `
select coalesce(s.sequence, 0) as sequence, coalesce(s.respondents, 0) as respondents, ${TIMELINE} as timeline, case when o.chosen <= ${MAX_CHOSEN} then coalesce((
  select json_agg(c.option_ids order by c.id) from scoring.choice c where c.account_id = $1::bigint
), '[]') end as choices
from (select coalesce(sum(cardinality(option_ids)), 0) as chosen from scoring.choice where account_id = $1::bigint) o
left join scoring.account_state s on s.account_id = $1::bigint`;

interface AnswerState {
  readonly sequence: number;
  readonly respondents: number;
  readonly timeline: number;
  // Options of each choice, by its ordinal; null if they are too many.
  readonly choices: number[][] | null;
}

/** Reads the state of an account's answers in the transaction's database snapshot. */
async function readAnswerState(tx: Client, accountId: number): Promise<AnswerState> {
  const { rows } = await tx.query<AnswerState>(STATE, [accountId]);
  if (rows[0] === undefined) throw new Error('the statement has one row');
  return rows[0];
}

type OnAnswer = (questionId: number, submittedUs: number, respondent: number, choice: number) => void;

/**
 * Reads all numeric answers of an account, sorted by question and time. COPY reads about two
 * million answers per second.
 */
async function copyAnswers(tx: Client, accountId: number, onAnswer: OnAnswer): Promise<void> {
  // COPY takes no parameters; inAccountSnapshot has checked that the account is a number.
  await readBinaryCopy(
    tx,
    `copy (select question_id, submitted_us, respondent, choice from scoring.answer
           where account_id = ${accountId} order by question_id, submitted_us) to stdout (format binary)`,
    (bytes, from) => readRows(bytes, from, onAnswer),
  );
}

// A row is a column count, then a length and the bytes of each column: 2 + 2 * (4+8) + 2 * (4+4).
const ROW_BYTES = 42;

// Returns the offset of the first incomplete row.
function readRows(bytes: Buffer, from: number, onAnswer: OnAnswer): number {
  let at = from;
  for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES) {
    onAnswer(int8At(bytes, at + 6), int8At(bytes, at + 18), bytes.readInt32BE(at + 30), bytes.readInt32BE(at + 38));
  }
  return at;
}
