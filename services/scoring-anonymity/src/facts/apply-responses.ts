import { createHash } from 'node:crypto';
import { applyByEmployee, type EmployeeDeferral } from '@survey/bus/facts/apply-by-employee.ts';
import type { FoundEmployee } from '@survey/bus/facts/employees.ts';
import { type ApplyFacts, type ValidFact, isNewer, type Version } from '@survey/bus/facts/fact.ts';
import type { ResponseLine } from '@survey/bus/lines/line.ts';
import { microsecondsOf } from '@survey/formats/instant.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { type AccountState, lockAccountState, saveAccountState } from './account-state.ts';

export const DEFERRED_RESPONSES: EmployeeDeferral<'response'> = {
  schema: 'scoring',
  kind: 'response',
  table: 'scoring.response',
  idType: 'uuid',
  takesOptions: true,
  storedPart: withoutTexts,
};

/**
 * Ingests responses. A newer revision replaces the answers of the previous one. A response is
 * deferred until its employee exists; it counts with the options that the employee has then.
 */
export const applyResponses: ApplyFacts<'response'> = async (tx, accountId, facts) => {
  const state = await lockAccountState(tx, accountId);
  return applyByEmployee(tx, accountId, DEFERRED_RESPONSES, facts, async (ofKnownEmployees) => {
    const newer = await dropSuperseded(tx, accountId, ofKnownEmployees, state);
    if (newer.length > 0) await write(tx, accountId, state, newer);
  });
};

// Texts belong to text-analysis. The digest still covers the whole fact.
function withoutTexts(fact: Fact): Fact {
  if (fact.response == null) return fact;
  const answers = fact.response.answers.map((answer) => ({ ...answer, text: null }));
  return { ...fact, response: { ...fact.response, answers } };
}

type MatchedResponse = ValidFact<'response'> & { readonly employee: FoundEmployee };

interface NumberedResponse extends MatchedResponse {
  readonly ordinal: number;
  readonly isCorrection: boolean;
}

// Assigns an ordinal to each new response and drops responses that are not newer than the stored
// ones.
async function dropSuperseded(
  tx: Client,
  accountId: number,
  all: readonly MatchedResponse[],
  state: AccountState,
): Promise<NumberedResponse[]> {
  const knownResponses = await readKnownResponses(
    tx,
    accountId,
    all.map(({ content }) => content.id),
  );
  return all.flatMap((one): NumberedResponse[] => {
    const before = knownResponses.get(one.content.id);
    if (before === undefined) return [{ ...one, ordinal: state.responses++, isCorrection: false }];
    return isNewer(one, before) ? [{ ...one, ordinal: before.ordinal, isCorrection: true }] : [];
  });
}

async function write(tx: Client, accountId: number, state: AccountState, newer: readonly NumberedResponse[]): Promise<void> {
  const respondents = await numberRespondents(tx, accountId, state, new Set(newer.map(({ employee }) => employee.id)));
  const chosen = newer.map(({ content }) => choicesOf(content));
  const choices = await assignChoiceOrdinals(
    tx,
    accountId,
    state,
    new Map(chosen.flat().map(({ key, optionIds }) => [key, optionIds])),
  );
  const rows = newer.map(({ content, revision, digest, employee, ordinal }, index): SavedResponse => ({
    id: content.id,
    surveyId: content.survey_id,
    cycleId: content.cycle_id,
    submittedUs: microsecondsOf(content.submitted_at),
    revision,
    digest,
    ordinal,
    respondent: numberOf(respondents, employee.id),
    optionIds: employee.optionIds,
    sequence: ++state.sequence,
    answers: (chosen[index] ?? []).map(({ questionId, key }) => ({ questionId, choice: numberOf(choices, key) })),
  }));
  state.answers -= await removeAnswers(
    tx,
    accountId,
    rows.filter((_, index) => newer[index]?.isCorrection),
  );
  await saveResponses(tx, accountId, rows);
  state.answers += rows.reduce((sum, { answers }) => sum + answers.length, 0);
  await saveAccountState(tx, accountId, state);
}

// Chosen options, sorted and without duplicates, of the questions that were not skipped (rule
// SCORES-RESPONDENTS-2).
function choicesOf({ answers }: ResponseLine): { questionId: number; optionIds: number[]; key: string }[] {
  return answers.flatMap(({ question_id: questionId, option_ids }) => {
    const chosen = option_ids ?? [];
    const optionIds = chosen.length < 2 ? chosen : [...new Set(chosen)].sort((a, b) => a - b);
    return optionIds.length === 0 ? [] : { questionId, optionIds, key: optionIds.join() };
  });
}

function numberOf<K>(numbers: ReadonlyMap<K, number>, key: K): number {
  const number = numbers.get(key);
  if (number === undefined) throw new Error('expected an ordinal for every row');
  return number;
}

/**
 * Returns the ordinals of choices, keyed by their option ids joined with commas. Assigns ordinals
 * to new choices. Requires lockAccountState.
 */
async function assignChoiceOrdinals(
  tx: Client,
  accountId: number,
  state: AccountState,
  optionIds: ReadonlyMap<string, readonly number[]>,
): Promise<ReadonlyMap<string, number>> {
  const keys = new Map([...optionIds.keys()].map((text) => [keyOf(text).toString('hex'), text]));
  const { rows } = await tx.query<{ id: number; key: string }>(
    `select c.id, encode(c.key, 'hex') as key
     from unnest($2::text[]) k cross join lateral (
       select id, key from scoring.choice where account_id = $1::bigint and key = decode(k, 'hex') offset 0) c`,
    [accountId, [...keys.keys()]],
  );
  const ordinals = new Map(rows.map(({ id, key }) => [keys.get(key) ?? '', id]));
  const unnumbered = [...optionIds].filter(([text]) => !ordinals.has(text));
  if (unnumbered.length === 0) return ordinals;
  for (const [text] of unnumbered) ordinals.set(text, state.choices++);
  await insertChoices(tx, accountId, unnumbered, ordinals);
  return ordinals;
}

function keyOf(optionIds: string): Buffer {
  return createHash('sha256').update(optionIds).digest();
}

// PostgreSQL has no arrays of arrays of different lengths: they are sent as texts.
async function insertChoices(
  tx: Client,
  accountId: number,
  choices: readonly (readonly [string, readonly number[]])[],
  ordinals: ReadonlyMap<string, number>,
): Promise<void> {
  await tx.query(
    `insert into scoring.choice (account_id, id, key, option_ids)
     select $1::bigint, c.id, c.key, c.option_ids::bigint[] from unnest($2::integer[], $3::bytea[], $4::text[]) c (id, key, option_ids)
     returning 1`,
    [
      accountId,
      choices.map(([text]) => ordinals.get(text)),
      choices.map(([text]) => keyOf(text)),
      choices.map(([text]) => `{${text}}`),
    ],
  );
}

/**
 * Returns the ordinals of respondents and assigns new ones where missing. Requires
 * lockAccountState.
 */
async function numberRespondents(
  tx: Client,
  accountId: number,
  state: AccountState,
  employeeIds: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await tx.query<[number, number]>({
    text: 'select employee_id, ordinal from scoring.respondent where account_id = $1::bigint and employee_id = any($2::bigint[])',
    values: [accountId, [...employeeIds]],
    rowMode: 'array',
  });
  const ordinals = new Map(rows);
  const unnumbered = [...employeeIds].filter((id) => !ordinals.has(id));
  if (unnumbered.length === 0) return ordinals;
  for (const id of unnumbered) ordinals.set(id, state.respondents++);
  await tx.query(
    `insert into scoring.respondent (account_id, employee_id, ordinal) select $1::bigint, * from unnest($2::bigint[], $3::integer[]) returning 1`,
    [accountId, unnumbered, unnumbered.map((id) => ordinals.get(id))],
  );
  return ordinals;
}

interface KnownResponse extends Version {
  readonly id: string;
  readonly ordinal: number;
}

// With "offset 0": one index lookup per response (docs/adr/0029-no-plan-depends-on-neighbours.md).
const KNOWN_RESPONSES = `
select r.id, r.ordinal, r.revision, r.digest
from unnest($2::uuid[]) as wanted (id) cross join lateral (
  select id, ordinal, revision, digest from scoring.response where account_id = $1::bigint and id = wanted.id offset 0) r`;

/** Returns the stored versions of the given responses. */
async function readKnownResponses(tx: Client, accountId: number, ids: readonly string[]): Promise<Map<string, KnownResponse>> {
  const { rows } = await tx.query<KnownResponse>(KNOWN_RESPONSES, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

// Must run before saveResponses: reads the sequence that added the answers before it is
// overwritten.
const REMOVE_ANSWERS = `
with gone as (
  delete from scoring.answer a
  using unnest($2::integer[], $3::bigint[]) c (response, sequence), scoring.response r
  where a.account_id = $1::bigint and a.response = c.response and r.account_id = a.account_id and r.ordinal = c.response
  returning c.sequence, a.question_id, r.sequence as added_sequence, a.submitted_us, a.respondent, a.choice
)
insert into scoring.removed_answer (account_id, sequence, question_id, added_sequence, submitted_us, respondent, choice)
select $1::bigint, g.* from gone g returning 1`;

interface SavedResponse extends KnownResponse {
  readonly surveyId: number;
  readonly cycleId: string;
  readonly submittedUs: number;
  readonly respondent: number;
  readonly optionIds: readonly number[];
  readonly sequence: number;
  readonly answers: readonly { readonly questionId: number; readonly choice: number }[];
}

/** Moves the answers that these responses replace to removed_answer. Returns their number. */
async function removeAnswers(tx: Client, accountId: number, responses: readonly SavedResponse[]): Promise<number> {
  if (responses.length === 0) return 0;
  const { rowCount } = await tx.query(REMOVE_ANSWERS, [
    accountId,
    responses.map(({ ordinal }) => ordinal),
    responses.map(({ sequence }) => sequence),
  ]);
  return rowCount ?? 0;
}

// A correction keeps the options of the first revision unless the respondent changes.
const SAVE_RESPONSES = `
insert into scoring.response as kept
  (account_id, ordinal, id, revision, digest, survey_id, submitted_us, respondent, option_ids, sequence, cycle_id)
select $1::bigint, f.ordinal, f.id, f.revision, f.digest, f.survey_id, f.submitted_us, f.respondent, f.option_ids::integer[], f.sequence, f.cycle_id
from unnest($2::integer[], $3::uuid[], $4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[], $8::integer[], $9::text[], $10::bigint[],
  $11::uuid[]) f (ordinal, id, revision, digest, survey_id, submitted_us, respondent, option_ids, sequence, cycle_id)
on conflict (account_id, ordinal) do update set revision = excluded.revision, digest = excluded.digest, survey_id = excluded.survey_id,
  cycle_id = excluded.cycle_id, submitted_us = excluded.submitted_us, respondent = excluded.respondent, sequence = excluded.sequence,
  option_ids = case when kept.respondent = excluded.respondent then kept.option_ids else excluded.option_ids end`;

// Arrays of a response are sent as texts. Rows are counted, not returned: there are many.
const SAVE_ANSWERS = `
with saved as (
  insert into scoring.answer (account_id, response, submitted_us, respondent, question_id, choice)
  select $1::bigint, r.response, r.submitted_us, r.respondent, a.question_id, a.choice
  from unnest($2::integer[], $3::bigint[], $4::integer[], $5::text[], $6::text[]) r (response, submitted_us, respondent, question_ids, choices)
  cross join lateral unnest(r.question_ids::bigint[], r.choices::integer[]) a (question_id, choice)
  returning 1
)
select count(*) from saved`;

/**
 * Stores responses with their answers. Previous answers must have been removed by removeAnswers.
 */
async function saveResponses(tx: Client, accountId: number, responses: readonly SavedResponse[]): Promise<void> {
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
  await tx.query(SAVE_ANSWERS, [
    accountId,
    responses.map(({ ordinal }) => ordinal),
    responses.map(({ submittedUs }) => submittedUs),
    responses.map(({ respondent }) => respondent),
    responses.map(({ answers }) => `{${answers.map(({ questionId }) => questionId).join()}}`),
    responses.map(({ answers }) => `{${answers.map(({ choice }) => choice).join()}}`),
  ]);
}
