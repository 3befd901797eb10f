import type { Pool } from 'pg';

/** Respondent `n` of an account from 1, and what belongs to it in the tables below. */
export const responseId = (accountId: number, n: number): string => `${hex(accountId, 8)}-0000-4000-8000-${hex(n * 7_919, 12)}`;
export const employeeId = (n: number): number => 1_000_000_000 + n;
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const CYCLES = 20;
const OPTION_SETS = 50;

// Each of `respondents` employees has one response with two texts and three numeric answers.
const FILL = `
with id as materialized (
  select n, format('%s-0000-4000-8000-%s', lpad(to_hex($1::bigint), 8, '0'), lpad(to_hex(n * 7919::bigint), 12, '0'))::uuid as response,
    1000000000 + n as employee
  from generate_series(1, $2::bigint) n
), employee as (
  insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, option_ids)
  select $1, employee, n, 'import_api', 'HR-' || n, 'p' || n || '@x.io', 'p' || n || '@x.io', array[n % ${OPTION_SETS}] from id
), text_respondent as (
  insert into text.respondent (account_id, employee_id, ordinal) select $1, employee, n - 1 from id
), text_cycle as (
  insert into text.cycle (account_id, ordinal, cycle_id, survey_id)
  select $1, c, format('00000000-0000-4000-8000-%s', lpad(to_hex(c), 12, '0'))::uuid, 1 from generate_series(0, ${CYCLES - 1}) c
), option_set as (
  insert into text.option_set (account_id, ordinal, option_ids, key)
  select $1, o, array[o], sha256(convert_to(o::text, 'UTF8')) from generate_series(0, ${OPTION_SETS - 1}) o
), text_response as (
  insert into text.response (account_id, id, revision, digest, cycle, respondent, option_set, imported, submitted_month)
  select $1, response, 1, '\\x00', n % ${CYCLES}, n - 1, n % ${OPTION_SETS}, false, date '2026-01-01' from id
), text_answer as (
  insert into text.answer (account_id, id, response_id, question_id, sort_key, content, sequence)
  select $1, 2 * (n - 1) + q - 1, response, q, hashint8extended(2 * n + q, 0), 'A text of a usual length, about work.', 2 * n + q
  from id, generate_series(1, 2) q
), masked as (
  insert into text.masked_text (account_id, answer, policy, content, sequence)
  select $1, 2 * (n - 1) + q - 1, 1, 'A text of a usual length, about work.', 2 * n + q from id, generate_series(1, 2) q
), block_answer as (
  insert into text.block_answer (account_id, answer, block, sequence)
  select $1, 2 * (n - 1) + q - 1, n % ${CYCLES}, 2 * n + q from id, generate_series(1, 2) q
), respondent as (
  insert into scoring.respondent (account_id, employee_id, ordinal) select $1, employee, n - 1 from id
), choice as (
  insert into scoring.choice (account_id, id, option_ids, key)
  select $1, o, array[o], sha256(convert_to(o::text, 'UTF8')) from generate_series(0, 10) o
), response as (
  insert into scoring.response
    (account_id, ordinal, id, revision, digest, survey_id, cycle_id, submitted_us, respondent, option_ids, sequence)
  select $1, n - 1, response, 1, '\\x00', 1, format('00000000-0000-4000-8000-%s', lpad(to_hex(n % ${CYCLES}), 12, '0'))::uuid,
    1767225600000000 + n, n - 1, array[n % ${OPTION_SETS}], n from id
), answer as (
  insert into scoring.answer (account_id, question_id, submitted_us, response, respondent, choice)
  select $1, 10 + q, 1767225600000000 + n, n - 1, n - 1, (n + q) % 11 from id, generate_series(1, 3) q
)
insert into export.assignment (account_id, id, revision, digest, survey_id, employee_id, created_at)
select $1, n, 1, '\\x00', 1 + n % 4, employee, '2026-01-01' from id`;

/** Fills the tables of facts of an account at once, without the services and without statistics. */
export async function fillAccount(db: Pool, accountId: number, respondents: number): Promise<void> {
  const tx = await db.connect();
  // Foreign keys are checked by triggers: the rows above refer to each other.
  await tx.query('begin');
  await tx.query('set local session_replication_role = replica');
  await tx.query(FILL, [accountId, respondents]);
  await tx.query('commit');
  tx.release();
}

/** Deletes what fillAccount writes. */
export async function emptyAccount(db: Pool, accountId: number): Promise<void> {
  const tx = await db.connect();
  await tx.query('begin');
  await tx.query('set local session_replication_role = replica');
  for (const table of FILLED_TABLES) await tx.query(`delete from ${table} where account_id = $1`, [accountId]);
  await tx.query('commit');
  tx.release();
}

export const FILLED_TABLES = [
  'imports.employee',
  ...['respondent', 'cycle', 'option_set', 'response', 'answer', 'masked_text', 'block_answer'].map((name) => `text.${name}`),
  ...['respondent', 'choice', 'response', 'answer'].map((name) => `scoring.${name}`),
  'export.assignment',
];
