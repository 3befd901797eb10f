import type { Pool } from '@survey/postgres/database.ts';

export const CYCLES = 48;
const PEOPLE_PER_ANSWER = 0.1;
const OPTION_SETS = 3_000;

/** Returns the UUID of the n-th cycle. */
export function cycleId(n: number): string {
  return `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
}

// One answer of about 180 letters per response, equally distributed over the cycles.
const fill = (cycles: number): string[] => [
  `insert into scoring.survey (account_id, id, revision, digest, text_threshold) values ($1::bigint, 1, 1, '\\x00', 5)
   on conflict do nothing`,
  `insert into text.question (account_id, id, revision, digest, survey_id, type, name) values ($1::bigint, 15, 1, '\\x00', 1, 'textfield', '{}')`,
  `insert into text.cycle (account_id, ordinal, cycle_id, survey_id)
   select $1::bigint, n, ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, 1 from generate_series(0, ${cycles - 1}) n`,
  `insert into text.option_set (account_id, ordinal, option_ids, key)
   select $1::bigint, n, array[3 * n, 3 * n + 1, 3 * n + 2], sha256(n::text::bytea) from generate_series(0, ${OPTION_SETS - 1}) n`,
  `insert into text.response (account_id, id, revision, digest, cycle, respondent, option_set, imported, submitted_month)
   select $1::bigint, md5(n::text)::uuid, 1, '\\x00', n % ${cycles}, floor(random() * $3::integer)::integer, n % ${OPTION_SETS}, false, '2026-01-01'
   from generate_series(0, $2::integer - 1) n`,
  `insert into text.answer (account_id, id, response_id, question_id, sort_key, content, sequence)
   select $1::bigint, n, md5(n::text)::uuid, 15, ('x' || substr(md5('place' || n), 1, 16))::bit(64)::bigint,
     repeat('a free-text answer in a survey,  ', 5) || n, n + 1
   from generate_series(0, $2::integer - 1) n`,
  `insert into text.account_state (account_id, order_key, sequence, answers, respondents, cycles, option_sets)
   values ($1::bigint, decode(repeat('ab', 32), 'hex'), $2::integer, $2::integer, $3::integer, ${cycles}, ${OPTION_SETS})`,
];

/** Inserts this many answers in SQL, which takes a minute instead of an hour. */
export async function fillTexts(pool: Pool, accountId: number, answers: number, cycles = CYCLES): Promise<void> {
  const values = [accountId, answers, Math.ceil(answers * PEOPLE_PER_ANSWER)];
  for (const statement of fill(cycles)) {
    // Each statement uses only the parameters it names.
    await pool.query(statement, values.slice(0, Math.max(...Array.from(statement.matchAll(/\$(\d)/g), ([, n]) => Number(n)))));
  }
  for (const table of ['answer', 'response', 'option_set']) await pool.query(`vacuum (analyze) text.${table}`);
}
