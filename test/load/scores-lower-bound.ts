import { copyOut } from '@survey/postgres/stream-rows.ts';
import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import type { AccountAnswers } from '@survey/scoring-anonymity/answers/account-answers.ts';
import type { Period } from '@survey/scoring-anonymity/rules/score.ts';

/** Measures COPY of the same rows in the same order in milliseconds, the lower bound of a load. */
export async function measureCopyLowerBound(pool: Pool, accountId: number): Promise<number> {
  const startedAt = performance.now();
  await inAccountSnapshot(pool, accountId, async (tx) => {
    await tx.query("set local statement_timeout = '10min'");
    const source = copyOut(
      tx,
      `copy (select question_id, submitted_us, respondent, choice from scoring.answer
             where account_id = ${accountId} order by question_id, submitted_us) to stdout (format binary)`,
    );
    let bytes = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) bytes += chunk.length;
    if (bytes === 0) throw new Error('cannot measure COPY: no rows');
  });
  return performance.now() - startedAt;
}

interface BareResult {
  readonly mean: number;
  readonly respondents: number;
}

const STARS = Float64Array.from([0, 25, 50, 75, 100]);

/** Computes a score with a plain loop over the same typed arrays. */
export function bareLoop(answers: AccountAnswers, questionIds: readonly number[], { fromUs, toUs }: Period): BareResult {
  const people = new Uint32Array((answers.respondents + 31) >>> 5);
  let means = 0;
  for (const id of questionIds) {
    const { rows } = answers.column(id);
    const [from, to] = [rows.firstIndexFrom(fromUs), rows.firstIndexFrom(toUs + 1)];
    means += addUp(rows.codes, rows.respondents, people, from, to) / (to - from);
  }
  let respondents = 0;
  for (let word of people) for (; word !== 0; word &= word - 1) respondents += 1;
  return { mean: means / questionIds.length, respondents };
}

function addUp(codes: Uint32Array, respondents: Uint32Array, people: Uint32Array, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    // Any value of a code costs the same as the right one.
    sum += STARS[(codes[index] ?? 0) % 5] ?? 0;
    const respondent = respondents[index] ?? 0;
    people[respondent >>> 5] = (people[respondent >>> 5] ?? 0) | (1 << (respondent & 31));
  }
  return sum;
}

const AGGREGATE = `
select
  (select avg(mean)::float8 from (
    select avg((choice % 5) * 25) as mean from scoring.answer
    where account_id = $1 and question_id = any($2::bigint[]) and submitted_us between $3 and $4 group by question_id
  ) m) as score,
  (select count(distinct respondent) from scoring.answer
    where account_id = $1 and question_id = any($2::bigint[]) and submitted_us between $3 and $4) as respondents`;

interface AggregateResult {
  readonly score: number;
  readonly respondents: number;
}

/** Computes a score in PostgreSQL with a covering index. */
export async function sqlAggregate(
  pool: Pool,
  accountId: number,
  questionIds: readonly number[],
  { fromUs, toUs }: Period,
): Promise<AggregateResult> {
  const { rows } = await pool.query<AggregateResult>(AGGREGATE, [accountId, questionIds, fromUs, toUs]);
  if (rows[0] === undefined) throw new Error('cannot compute the score: expected one row');
  return rows[0];
}
