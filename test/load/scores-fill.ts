import type { Pool } from '@survey/postgres/database.ts';

export const QUESTIONS = 50;
const QUESTIONS_OF_A_RESPONSE = 20;
export const MONTHS = 24;
// Respondents have a response about every two months.
const RESPONSES_OF_A_PERSON = 2.5;

export const FIRST_US = Date.UTC(2024, 0, 1) * 1_000;
export const LAST_US = Date.UTC(2026, 0, 1) * 1_000;

export interface Filled {
  readonly accountId: number;
  readonly answers: number;
  readonly respondents: number;
}

// Most responses of a month are submitted in its first days. Response n answers 20 consecutive
// questions with one to five stars; every pair of question and stars is a choice.
const FILL = [
  `insert into scoring.survey (account_id, id, revision, digest, score_threshold) values ($1, 1, 1, '\\x00', 5)`,
  `insert into scoring.question (account_id, id, revision, digest, survey_id, type, answer_options)
   select $1, q, 1, sha256(q::text::bytea), 1, 'stars', (
     select jsonb_agg(jsonb_build_object('id', q * 10 + v, 'value', v, 'is_minimum', v = 1, 'is_maximum', v = 5)) from generate_series(1, 5) v
   )
   from generate_series(1, $2::integer) q`,
  `insert into scoring.choice (account_id, id, option_ids, key)
   select $1, (q - 1) * 5 + v - 1, array[q * 10 + v]::bigint[], sha256((q * 10 + v)::text::bytea)
   from generate_series(1, $2::integer) q, generate_series(1, 5) v`,
  `insert into scoring.respondent (account_id, employee_id, ordinal) select $1, n + 1, n from generate_series(0, $3::integer - 1) n`,
  `insert into scoring.response
     (account_id, ordinal, id, revision, digest, survey_id, cycle_id, submitted_us, respondent, option_ids, sequence)
   select $1, n, md5(n::text)::uuid, 1, '\\x00', 1, md5(month::text)::uuid,
     (extract(epoch from timestamptz '2024-01-01Z' + make_interval(months => month)) * 1000000)::bigint
       + floor(power(random(), 2) * 14 * 86400000000)::bigint,
     floor(random() * $3::integer)::integer, '{}', n + 1
   from (select n, (n::bigint * ${MONTHS} / $4::integer)::integer as month from generate_series(0, $4::integer - 1) n) drawn`,
  `insert into scoring.answer (account_id, question_id, submitted_us, response, respondent, choice)
   select r.account_id, q, r.submitted_us, r.ordinal, r.respondent, (q - 1) * 5 + floor(random() * 5)::integer
   from scoring.response r, generate_series(0, ${QUESTIONS_OF_A_RESPONSE} - 1) k, lateral (select 1 + (r.ordinal * 7 + k) % $2::integer as q) asked
   where r.account_id = $1`,
  `insert into scoring.account_state (account_id, sequence, responses, respondents, choices, answers)
   values ($1, $4::integer, $4::integer, $3::integer, $2::integer * 5, $4::integer * ${QUESTIONS_OF_A_RESPONSE})`,
];

/**
 * Adds about this many answers in SQL, which takes minutes instead of hours; without an account, to
 * a new one.
 */
export async function fillAccount(pool: Pool, answers: number, account?: number): Promise<Filled> {
  const accountId = account ?? (await newAccount(pool));
  const responses = Math.ceil(answers / QUESTIONS_OF_A_RESPONSE);
  const respondents = Math.ceil(responses / RESPONSES_OF_A_PERSON);
  const values = [accountId, QUESTIONS, respondents, responses];
  // Building the indexes afterwards is 4 times as fast.
  await pool.query('drop index scoring.answer_by_question; alter table scoring.answer drop constraint answer_pkey');
  for (const statement of FILL) {
    // Each statement uses only the parameters it names.
    const used = Math.max(...Array.from(statement.matchAll(/\$(\d)/g), ([, n]) => Number(n)));
    await pool.query(withAllNamed(statement, used), values.slice(0, used));
  }
  await pool.query('alter table scoring.answer add primary key (account_id, response, question_id)');
  await pool.query(
    'create index answer_by_question on scoring.answer (account_id, question_id, submitted_us) include (respondent, choice)',
  );
  for (const table of ['answer', 'response', 'choice', 'question', 'survey'])
    await pool.query(`vacuum (analyze) scoring.${table}`);
  return { accountId, answers: responses * QUESTIONS_OF_A_RESPONSE, respondents };
}

async function newAccount(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ account_id: number }>(
    "insert into admin.account (name) values ('load') returning account_id",
  );
  return rows[0]?.account_id ?? 0;
}

// PostgreSQL must know the type of every parameter, including those that a statement does not use.
function withAllNamed(statement: string, used: number): string {
  const numbers = Array.from({ length: used }, (_, index) => `$${index + 1}::integer is not null`);
  return `with parameters as (select ${numbers.join(' and ')}) ${statement.replaceAll(/\$1\b(?!:)/g, '$1::integer')}`;
}
