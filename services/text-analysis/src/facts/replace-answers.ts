import type { ResponseLine } from '@survey/bus/lines/response.ts';
import type { Client } from '@survey/postgres/database.ts';
import { sortKeyOf } from '../rules/sort-key.ts';
import type { AccountState } from '../tables/account-state.ts';
import { queueAnswers } from '../stages/queue-answers.ts';
import { forgetResults, readKnownAnswers, saveAnswers, type KnownAnswer, type SavedAnswer } from './save-answers.ts';

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
  const known = Map.groupBy(await readKnownAnswers(tx, accountId, ids), ({ response_id }) => response_id);
  const before = new Map<number, string | null>();
  const answers = responses.flatMap((response) => {
    const had = known.get(response.id) ?? [];
    for (const { id, text } of had) before.set(id, text);
    return answersOf(response, had, state);
  });
  await saveAnswers(tx, accountId, answers);
  const changed = answers.filter(({ id, text }) => before.has(id) && before.get(id) !== text);
  await forgetResults(
    tx,
    accountId,
    changed.map(({ id }) => id),
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
function answersOf({ id: response_id, answers }: ResponseLine, had: readonly KnownAnswer[], state: AccountState): SavedAnswer[] {
  const texts = new Map(answers.flatMap(({ question_id, text }) => (isBlank(text) ? [] : [[question_id, text] as const])));
  const idOf = new Map(had.map(({ question_id, id }) => [question_id, id]));
  const questionIds = new Set([...texts.keys(), ...idOf.keys()]);
  return [...questionIds].map((question_id) => ({
    id: idOf.get(question_id) ?? state.answers++,
    response_id,
    question_id,
    text: texts.get(question_id) ?? null,
    sortKey: sortKeyOf(state.order_key, response_id, question_id),
    sequence: ++state.sequence,
  }));
}

// Only white space and invisible characters: the question counts as skipped (rule TEXTS-FIELDS-2).
function isBlank(text: string | null | undefined): text is null | undefined {
  return text == null || !/[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}
