import type { Client } from '@survey/postgres/database.ts';
import type { Version } from '@survey/bus/facts/version.ts';

interface KnownResponse extends Version {
  readonly id: string;
  readonly ordinal: number;
}

// With "offset 0": one index lookup per response (docs/adr/0029-no-plan-depends-on-neighbours.md).
export const KNOWN_RESPONSES = `
select r.id, r.ordinal, r.revision, r.digest
from unnest($2::uuid[]) as wanted (id) cross join lateral (
  select id, ordinal, revision, digest from scoring.response where account_id = $1::bigint and id = wanted.id offset 0) r`;

/** Returns the stored versions of the given responses. */
export async function readKnownResponses(
  tx: Client,
  accountId: number,
  ids: readonly string[],
): Promise<Map<string, KnownResponse>> {
  const { rows } = await tx.query<KnownResponse>(KNOWN_RESPONSES, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

// Must run before saveResponses: reads the sequence that added the answers before it is
// overwritten.
export const REMOVE_ANSWERS = `
with gone as (
  delete from scoring.answer a
  using unnest($2::integer[], $3::bigint[]) c (response, sequence), scoring.response r
  where a.account_id = $1::bigint and a.response = c.response and r.account_id = a.account_id and r.ordinal = c.response
  returning c.sequence, a.question_id, r.sequence as added_sequence, a.submitted_us, a.respondent, a.choice
)
insert into scoring.removed_answer (account_id, sequence, question_id, added_sequence, submitted_us, respondent, choice)
select $1::bigint, g.* from gone g returning 1`;

export interface SavedResponse extends KnownResponse {
  readonly surveyId: number;
  readonly cycleId: string;
  readonly submittedUs: number;
  readonly respondent: number;
  readonly optionIds: readonly number[];
  readonly sequence: number;
  readonly answers: readonly { readonly questionId: number; readonly choice: number }[];
}

/** Moves the answers that these responses replace to removed_answer. Returns their number. */
export async function removeAnswers(tx: Client, accountId: number, responses: readonly SavedResponse[]): Promise<number> {
  if (responses.length === 0) return 0;
  const { rowCount } = await tx.query(REMOVE_ANSWERS, [
    accountId,
    responses.map(({ ordinal }) => ordinal),
    responses.map(({ sequence }) => sequence),
  ]);
  return rowCount ?? 0;
}

// A correction keeps the options of the first revision unless the respondent changes.
export const SAVE_RESPONSES = `
insert into scoring.response as kept
  (account_id, ordinal, id, revision, digest, survey_id, submitted_us, respondent, option_ids, sequence, cycle_id)
select $1::bigint, f.ordinal, f.id, f.revision, f.digest, f.survey_id, f.submitted_us, f.respondent, f.option_ids::integer[], f.sequence, f.cycle_id
from unnest($2::integer[], $3::uuid[], $4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[], $8::integer[], $9::text[], $10::bigint[],
  $11::uuid[]) f (ordinal, id, revision, digest, survey_id, submitted_us, respondent, option_ids, sequence, cycle_id)
on conflict (account_id, ordinal) do update set revision = excluded.revision, digest = excluded.digest, survey_id = excluded.survey_id,
  cycle_id = excluded.cycle_id, submitted_us = excluded.submitted_us, respondent = excluded.respondent, sequence = excluded.sequence,
  option_ids = case when kept.respondent = excluded.respondent then kept.option_ids else excluded.option_ids end`;

// Rows are counted, not returned: there are many.
const SAVE_ANSWERS = `
with saved as (
  insert into scoring.answer (account_id, response, submitted_us, respondent, question_id, choice)
  select $1::bigint, a.* from unnest($2::integer[], $3::bigint[], $4::integer[], $5::bigint[], $6::integer[]) a
  returning 1
)
select count(*) from saved`;

/**
 * Stores responses with their answers. Previous answers must have been removed by removeAnswers.
 */
export async function saveResponses(tx: Client, accountId: number, responses: readonly SavedResponse[]): Promise<void> {
  await tx.query(SAVE_RESPONSES, [
    accountId,
    responses.map(({ ordinal }) => ordinal),
    responses.map(({ id }) => id),
    responses.map(({ revision }) => revision),
    responses.map(({ digest }) => digest),
    responses.map(({ surveyId }) => surveyId),
    responses.map(({ submittedUs }) => submittedUs),
    responses.map(({ respondent }) => respondent),
    responses.map(({ optionIds }) => `{${optionIds.join()}}`),
    responses.map(({ sequence }) => sequence),
    responses.map(({ cycleId }) => cycleId),
  ]);
  const ofEach = (value: (response: SavedResponse) => number): number[] =>
    responses.flatMap((response) => response.answers.map(() => value(response)));
  await tx.query(SAVE_ANSWERS, [
    accountId,
    ofEach(({ ordinal }) => ordinal),
    ofEach(({ submittedUs }) => submittedUs),
    ofEach(({ respondent }) => respondent),
    responses.flatMap(({ answers }) => answers.map(({ questionId }) => questionId)),
    responses.flatMap(({ answers }) => answers.map(({ choice }) => choice)),
  ]);
}
