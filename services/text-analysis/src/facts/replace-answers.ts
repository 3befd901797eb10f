import type { ResponseLine } from '@survey/bus/lines/line.ts';
import type { Client } from '@survey/postgres/database.ts';
import { deletePending } from '../stages/pending.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import type { AccountState } from '../tables/account-state.ts';
import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Replaces the answers of these responses. An unchanged text keeps its results; a text that is
 * changed or removed loses them in the same transaction, so that no client reads the mask of
 * another text.
 */
export async function replaceAnswers(
  tx: Client,
  accountId: number,
  state: AccountState,
  responses: readonly ResponseLine[],
): Promise<void> {
  const ids = responses.map(({ id }) => id);
  const storedAnswers = Map.groupBy(await readStoredAnswers(tx, accountId, ids), ({ response_id }) => response_id);
  const textsBefore = new Map<number, string | null>();
  const answers = responses.flatMap((response) => {
    const answersOfResponse = storedAnswers.get(response.id) ?? [];
    for (const { id, text } of answersOfResponse) textsBefore.set(id, text);
    return answersOf(response, answersOfResponse, state);
  });
  await saveAnswers(tx, accountId, answers);
  const changedAnswers = answers.filter(({ id, text }) => textsBefore.has(id) && textsBefore.get(id) !== text);
  await deleteResults(
    tx,
    accountId,
    changedAnswers.map(({ id }) => id),
  );
  // A response that has become an imported one may be waiting for masks.
  const importedResponses = new Set(responses.flatMap((response) => (response.imported ? response.id : [])));
  await deletePending(
    tx,
    accountId,
    'mask',
    answers.flatMap(({ id, response_id }) => (importedResponses.has(response_id) ? id : [])),
  );
  await queueAnswers(
    tx,
    accountId,
    // Without topics there is nothing to score: scoring is queued when topics are found or
    // assigned.
    [...state.stages.keys()].filter((stage) => stage !== 'sentiment'),
    answers.map(({ id }) => id),
  );
}

// Includes unchanged texts: the cycle or the respondent of the response may have changed.
function answersOf(
  { id: response_id, answers }: ResponseLine,
  storedAnswers: readonly StoredAnswer[],
  state: AccountState,
): SavedAnswer[] {
  const texts = new Map(answers.flatMap(({ question_id, text }) => (isBlank(text) ? [] : [[question_id, text] as const])));
  const idOf = new Map(storedAnswers.map(({ question_id, id }) => [question_id, id]));
  const questionIds = new Set([...texts.keys(), ...idOf.keys()]);
  return [...questionIds].map((question_id) => ({
    id: idOf.get(question_id) ?? state.answers++,
    response_id,
    question_id,
    text: texts.get(question_id) ?? null,
    sortKey: sortKeyOf(state.orderKey, response_id, question_id),
    sequence: ++state.sequence,
  }));
}

// Only white space and invisible characters: the question counts as skipped (rule TEXTS-FIELDS-2).
function isBlank(text: string | null | undefined): text is null | undefined {
  return text == null || !/[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}

interface StoredAnswer {
  readonly id: number;
  readonly response_id: string;
  readonly question_id: number;
  readonly text: string | null;
}

// With "offset 0": one index lookup per response (docs/adr/0029-no-plan-depends-on-neighbours.md).
export const STORED_ANSWERS = `
select a.id, a.response_id, a.question_id, a.content as text
from unnest($2::uuid[]) as wanted (id) cross join lateral (
  select id, response_id, question_id, content from text.answer where account_id = $1::bigint and response_id = wanted.id offset 0) a`;

/** Returns the current and removed answers of these responses. */
async function readStoredAnswers(tx: Client, accountId: number, responseIds: readonly string[]): Promise<StoredAnswer[]> {
  const { rows } = await tx.query<StoredAnswer>(STORED_ANSWERS, [accountId, responseIds]);
  return rows;
}

interface SavedAnswer extends StoredAnswer {
  readonly sortKey: bigint;
  readonly sequence: number;
}

const SAVE = `
insert into text.answer as kept (account_id, id, response_id, question_id, content, sort_key, sequence)
select $1::bigint, f.* from unnest($2::integer[], $3::uuid[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[]) f
on conflict (account_id, id) do update set content = excluded.content, sequence = excluded.sequence,
  content_version = kept.content_version + case when kept.content is distinct from excluded.content then 1 else 0 end`;

async function saveAnswers(tx: Client, accountId: number, answers: readonly SavedAnswer[]): Promise<void> {
  if (answers.length === 0) return;
  await tx.query(SAVE, [
    accountId,
    answers.map(({ id }) => id),
    answers.map(({ response_id }) => response_id),
    answers.map(({ question_id }) => question_id),
    answers.map(({ text }) => text),
    answers.map(({ sortKey }) => String(sortKey)),
    answers.map(({ sequence }) => sequence),
  ]);
}

// Results of a removed text. Account admins' decisions do not depend on the text and are kept.
const DELETE_RESULTS = [
  'delete from text.masked_text where account_id = $1::bigint and answer = any($2::integer[])',
  'delete from text.block_answer where account_id = $1::bigint and answer = any($2::integer[])',
  'delete from text.pending where account_id = $1::bigint and answer = any($2::integer[])',
  'delete from text.given_up where account_id = $1::bigint and answer = any($2::integer[])',
  "delete from text.topic_assignment where account_id = $1::bigint and answer = any($2::integer[]) and origin = 'auto'",
  `update text.topic_assignment set sentiment = null, sentiment_version = null
   where account_id = $1::bigint and answer = any($2::integer[]) and sentiment_version is not null`,
];

/** Deletes the results of these answers' previous texts. */
async function deleteResults(tx: Client, accountId: number, answers: readonly number[]): Promise<void> {
  if (answers.length === 0) return;
  for (const statement of DELETE_RESULTS) await tx.query(statement, [accountId, answers]);
}

/**
 * Returns the sort key of an answer within its account (rule TEXTS-ORDER-1): a keyed hash. It is
 * stable, reveals neither time nor respondent, and does not group the answers of one submission.
 */
export function sortKeyOf(orderKey: KeyObject, responseId: string, questionId: number): bigint {
  return createHmac('sha256', orderKey).update(`${responseId} ${questionId}`).digest().readBigInt64BE();
}
