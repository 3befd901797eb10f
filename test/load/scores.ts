import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { prepareDatabase, surveyDatabase } from '@survey/local/database.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import { loadSecrets } from '@survey/local/secrets.ts';
import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { primaryReader } from '@survey/postgres/replica/reader.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { AccountAnswers } from '@survey/scoring-anonymity/answers/account-answers.ts';
import { createAnswerCache, type AnswerCache } from '@survey/scoring-anonymity/answers/answer-cache.ts';
import { scoreReader, type ReadScore } from '@survey/scoring-anonymity/read-score.ts';
import { loadAnswers } from '@survey/scoring-anonymity/answers/answer-cache.ts';
import { percentileOf, printAlone, type Figure } from '../support/figures.ts';
import { measureGuard } from './scores-guard.ts';
import { fillAccount, FIRST_US, LAST_US, QUESTIONS, type Filled } from './scores-fill.ts';
import { bareLoop, measureCopyLowerBound, sqlAggregate } from './scores-lower-bound.ts';

const MONTH_US = 30 * 86_400_000_000;
const PERIODS = { month: MONTH_US, year: 365 * 86_400_000_000, 'all time': LAST_US - FIRST_US };
const QUESTION_COUNTS = [1, 5, 20];
// The p99 is the fifth longest call: one or two can wait for any other process of the machine.
const REPETITIONS = 500;
const SQL_REPETITIONS = 5;
const BYTES = 100_000_000_000;
// Only the largest window has a goal beside SQL.
const FARTHEST = 20 * PERIODS['all time'];

interface Bench extends Filled {
  readonly pool: Pool;
  readonly memory: AnswerCache;
  readonly readScore: ReadScore;
}

interface Window {
  readonly questionIds: number[];
  readonly fromUs: number;
  readonly toUs: number;
}

/** Returns random questions and a random window of this length. */
function drawWindow(questions: number, lengthUs: number, repetition: number): Window {
  const questionIds = Array.from({ length: questions }, (_, index) => 1 + ((index * 7 + repetition) % QUESTIONS));
  const fromUs = FIRST_US + Math.floor(Math.random() * (LAST_US - FIRST_US - lengthUs));
  return { questionIds, fromUs, toUs: fromUs + lengthUs };
}

/**
 * Measures scores over windows of one length. @throws when variants count different respondents.
 */
async function measureCase(bench: Bench, questions: number, [period, lengthUs]: [string, number]): Promise<Figure[]> {
  const { accountId, pool, memory, readScore } = bench;
  const times = { score: [] as number[], inMemory: [] as number[], bare: [] as number[], sql: [] as number[] };
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const window = drawWindow(questions, lengthUs, repetition);
    const query = { accountId, ...window, questionIds: new Set(window.questionIds) };
    const { respondents, questions: asked } = await timed(times.score, () => readScore(query));
    const held = heldBy(memory, accountId);
    const fromMemory = timedNow(times.inMemory, () => held.tally(asked, window));
    const bare = timedNow(times.bare, () => bareLoop(held, window.questionIds, window));
    expectEqual(respondents, fromMemory.respondents, bare.respondents);
    if (repetition >= SQL_REPETITIONS) continue;
    const sql = await timed(times.sql, () => sqlAggregate(pool, accountId, window.questionIds, window));
    expectEqual(respondents, sql.respondents);
  }
  const what = `${questions} ${questions === 1 ? 'question' : 'questions'}, ${period}`;
  const sql = { what: 'SQL on a covering index', values: times.sql };
  return [
    { what, unit: 'ms', ours: times.score, beside: sql, ...(questions * lengthUs === FARTHEST && { goal: { atMost: 0.01 } }) },
    { what: `${what}: p99`, unit: 'ms', ours: [percentileOf(times.score, 99)], goal: { atMost: 10 } },
    { what: `${what}: in memory`, unit: 'ms', ours: times.inMemory, beside: { what: 'bare loop', values: times.bare } },
  ];
}

function heldBy(memory: AnswerCache, accountId: number): AccountAnswers {
  const held = memory.get(accountId);
  if (held === undefined) throw new Error('cannot measure scores: the account is not cached');
  return held;
}

function expectEqual(...counts: readonly number[]): void {
  if (new Set(counts).size > 1) throw new Error(`respondents differ: ${counts.join(', ')}`);
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  times.push(performance.now() - startedAt);
  return result;
}

function timedNow<T>(times: number[], work: () => T): T {
  const startedAt = performance.now();
  const result = work();
  times.push(performance.now() - startedAt);
  return result;
}

/** Measures the load of an account beside COPY of the same rows, and the size of the cache. */
async function measureLoad({ pool, accountId, answers }: Bench): Promise<Figure[]> {
  const copyMs: number[] = [];
  const loadMs: number[] = [];
  const bytes: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    copyMs.push(await measureCopyLowerBound(pool, accountId));
    const before = residentBytes();
    const held = await timed(loadMs, () => inAccountSnapshot(pool, accountId, (tx) => loadAnswers(tx, accountId)));
    bytes.push((residentBytes() - before) / answers);
    if (held.bytes < answers) throw new Error('cannot measure the load: no answers');
  }
  return [
    {
      what: 'load of the account',
      unit: 'ms',
      ours: loadMs,
      beside: { what: 'COPY of the same rows', values: copyMs },
      goal: { atMost: 2 },
    },
    // Only the first load: later loads reuse its memory.
    { what: 'memory per answer', unit: 'bytes', ours: bytes.slice(0, 1), goal: { atMost: 20 } },
  ];
}

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

const collect = (): void => {
  if (typeof collectGarbage === 'function') for (let turn = 0; turn < 3; turn += 1) collectGarbage();
};

function residentBytes(): number {
  collect();
  return process.memoryUsage.rss();
}

// Resident memory would not grow for what fits into freed memory.
function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function openBench(started: AsyncDisposableStack, answers: number): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-scores-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const secrets = await loadSecrets(join(folder, 'secrets.json'));
  const { superuserPassword } = secrets;
  // Maximum that the plain SQL query can use.
  const settings = { shared_buffers: '2GB', work_mem: '256MB', maintenance_work_mem: '1GB', max_wal_size: '8GB' };
  const store = await startPostgres({ dataDir: join(folder, 'postgres'), superuserPassword, settings, log: () => {} });
  started.defer(() => store.stop());
  const url = await surveyDatabase(store.url);
  await prepareDatabase(url, secrets, () => {});
  const tool = toolOf('load');
  const pool = openDatabase({ url, name: 'load', statementTimeoutMs: 3_600_000 }, tool);
  started.defer(() => tool.resources.disposeAsync());
  const filled = await fillAccount(pool, answers);
  const memory = createAnswerCache(primaryReader(pool), BYTES, tool);
  return { ...filled, pool, memory, readScore: scoreReader(pool, memory, tool) };
}

/**
 * Measures scores as the service computes them beside a plain loop and PostgreSQL, the load of an
 * account beside COPY, and the disclosure guard beside calls without it.
 */
export async function measureScores(started: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  const bench = await openBench(started, isSmoke ? 20_000 : 10_000_000);
  const figures = await measureLoad(bench);
  bench.memory.load(bench.accountId, bench.answers);
  await bench.memory.waitUntilIdle();
  for (const questions of QUESTION_COUNTS)
    for (const period of Object.entries(PERIODS)) figures.push(...(await measureCase(bench, questions, period)));
  const { bytes } = heldBy(bench.memory, bench.accountId);
  figures.push(...(await measureGuard({ ...bench, heldBytes, cachedBytes: bytes }, isSmoke)));
  return figures;
}

if (import.meta.main) await printAlone(measureScores);
