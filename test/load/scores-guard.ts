import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { makeBlocks } from '@survey/scoring-anonymity/make-blocks.ts';
import type { ReadScore } from '@survey/scoring-anonymity/read-score.ts';
import { percentileOf, type Figure } from '../support/figures.ts';
import { fillAccount, FIRST_US, MONTHS, QUESTIONS, type Filled } from './scores-fill.ts';

// A new cycle each month, closed after two weeks.
const CLOSED_AFTER_DAYS = 14;
const SPANS = { cycle: 1, year: 12, 'all time': MONTHS };
const QUESTION_COUNTS = [1, 20];
// The p99 is the fifth longest call: one or two can wait for any other process of the machine.
const REPETITIONS = 500;
// Options of the filter attribute, so that each cell has several blocks.
const OPTIONS = 10;
const ANSWERS_OF_A_RESPONSE = 20;
// Limits beside the same calls without the guard.
const [MAX_MEDIAN_RATIO, MAX_P99_RATIO, MEDIAN_MS] = [1.5, 2, 10];
const MAX_CLOSING_MS = 5_000;
const MAX_DELAY_MS = 50;
const MAX_MEMORY_RATIO = 0.25;

interface GuardBench extends Filled {
  readonly pool: Pool;
  readonly readScore: ReadScore;
  readonly heldBytes: () => number;
  // Size of the cached answers.
  readonly cachedBytes: number;
}

const PREPARE = [
  `insert into imports.attribute (account_id, id, name, name_key) values ($1, 1, 'Team', 'team')`,
  `insert into imports.attribute_option (account_id, id, attribute_id, name)
   select $1, o, 1, o::text from generate_series(1, ${OPTIONS}) o`,
  `update scoring.response set option_ids = array[1 + respondent % ${OPTIONS}] where account_id = $1`,
];

async function setGuard(pool: Pool, accountId: number, guard: 'off' | 'strict'): Promise<void> {
  await pool.query(
    `insert into admin.settings (account_id, version, disclosure_guard, text_filter_attribute_id)
     select $1, 1 + coalesce(max(version), 0), $2, 1 from admin.settings where account_id = $1`,
    [accountId, guard],
  );
}

/** Gives the respondents options, and closes the cycles. */
async function prepareCycles(pool: Pool, accountId: number): Promise<void> {
  for (const statement of PREPARE) await pool.query(statement, [accountId]);
  await pool.query('vacuum (analyze) scoring.response');
  await pool.query(
    `insert into scoring.cycle (account_id, id, revision, digest, survey_id, opened_us, closed_us)
     select $1, r.cycle_id, 1, '', 1, min(opened.us), min(opened.us) + ${CLOSED_AFTER_DAYS * 86_400_000_000}::bigint
     from scoring.response r
     cross join lateral (select (extract(epoch from date_trunc('month', to_timestamp(r.submitted_us / 1000000) at time zone 'utc')) * 1000000)::bigint as us) opened
     where r.account_id = $1 group by r.cycle_id`,
    [accountId],
  );
  await setGuard(pool, accountId, 'strict');
}

/** Makes the blocks of closed cycles. Returns the milliseconds that each cycle took. */
async function closeCycles(pool: Pool, accountId: number): Promise<number[]> {
  const times: number[] = [];
  for (let again: number | undefined = 0; again === 0;) {
    const startedAt = performance.now();
    again = await inAccount(pool, accountId, (tx) => makeBlocks(tx, accountId));
    if (again === 0) times.push(performance.now() - startedAt);
  }
  return times;
}

/** Measures the same calls with and without the guard, in turns. */
async function measureCalls({ pool, readScore, accountId }: GuardBench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const questions of QUESTION_COUNTS) {
    for (const [span, months] of Object.entries(SPANS)) {
      const times = { off: [] as number[], strict: [] as number[] };
      for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
        const query = drawCycles(questions, months, repetition);
        for (const guard of ['off', 'strict'] as const) {
          await setGuard(pool, accountId, guard);
          const startedAt = performance.now();
          const { respondents } = await readScore({ accountId, ...query });
          times[guard].push(performance.now() - startedAt);
          if (respondents === 0) throw new Error(`cannot measure the guard: ${guard} released nothing`);
        }
      }
      const what = `guard, ${questions} ${questions === 1 ? 'question' : 'questions'}, ${span}`;
      const median = Math.max(MEDIAN_MS, MAX_MEDIAN_RATIO * percentileOf(times.off, 50));
      const off = { what: 'without the guard', values: times.off };
      figures.push(
        { what, unit: 'ms', ours: times.strict, beside: off },
        { what: `${what}: p50`, unit: 'ms', ours: [percentileOf(times.strict, 50)], goal: { atMost: median } },
        {
          what: `${what}: p99`,
          unit: 'ms',
          ours: [percentileOf(times.strict, 99)],
          beside: { ...off, values: [percentileOf(times.off, 99)] },
          goal: { atMost: MAX_P99_RATIO },
        },
      );
    }
  }
  return figures;
}

function drawCycles(questions: number, months: number, repetition: number) {
  const questionIds = Array.from({ length: questions }, (_, index) => 1 + ((index * 7 + repetition) % QUESTIONS));
  const first = repetition % (MONTHS - months + 1);
  const monthUs = (n: number): number => Date.UTC(new Date(FIRST_US / 1_000).getUTCFullYear(), n) * 1_000;
  return { questionIds: new Set(questionIds), fromUs: monthUs(first), toUs: monthUs(first + months) - 1 };
}

/** Closes one cycle of this many responses in an account of its own, and meanwhile reads scores. */
async function measureClosing(bench: GuardBench, responses: number): Promise<Figure[]> {
  const { pool, readScore } = bench;
  const other = await fillAccount(pool, responses * ANSWERS_OF_A_RESPONSE);
  await pool.query('update scoring.response set cycle_id = md5($1::text)::uuid where account_id = $2', ['0', other.accountId]);
  await prepareCycles(pool, other.accountId);
  const [reads, alone]: [number[], number[]] = [[], []];
  const read = async (times: number[], repetition: number): Promise<void> => {
    const startedAt = performance.now();
    await readScore({ accountId: bench.accountId, ...drawCycles(1, 1, repetition) });
    times.push(performance.now() - startedAt);
  };
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) await read(alone, repetition);
  let closed: number[] | undefined;
  const closing = closeCycles(pool, other.accountId).then((times) => (closed = times));
  for (let repetition = 0; closed === undefined; repetition += 1) await read(reads, repetition);
  const what = `closing a cycle of ${responses} responses`;
  const delay = Math.max(0, ...reads) - percentileOf(alone, 50);
  return [
    { what, unit: 'ms', ours: await closing, goal: { atMost: MAX_CLOSING_MS } },
    { what: `${what}: longest delay of a call`, unit: 'ms', ours: [delay], goal: { atMost: MAX_DELAY_MS } },
  ];
}

/**
 * Measures the disclosure guard: calls beside the same ones without it, the closing of a cycle, and
 * memory.
 */
export async function measureGuard(bench: GuardBench, isSmoke: boolean): Promise<Figure[]> {
  const { pool, accountId, readScore, heldBytes, cachedBytes } = bench;
  await prepareCycles(pool, accountId);
  const closing = await closeCycles(pool, accountId);
  const before = heldBytes();
  const all = { questionIds: Array.from({ length: QUESTIONS }, (_, index) => index + 1), fromUs: 0, toUs: FIRST_US * 2 };
  await readScore({ accountId, ...all, questionIds: new Set(all.questionIds) });
  const ours = [heldBytes() - before];
  const beside = { what: 'cached answers', values: [cachedBytes] };
  return [
    { what: 'guard: blocks of a month', unit: 'ms', ours: closing },
    { what: 'guard: memory of all blocks', unit: 'bytes', ours, beside, goal: { atMost: MAX_MEMORY_RATIO } },
    ...(await measureCalls(bench)),
    ...(await measureClosing(bench, isSmoke ? 400 : 200_000)),
  ];
}
