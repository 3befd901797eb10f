import type { ResponseLine } from '@survey/dataset/lines/response.ts';
import { applyByEmployee, type EmployeeDeferral } from '@survey/facts/apply-by-employee.ts';
import type { FoundEmployee } from '@survey/facts/employees.ts';
import type { ApplyFacts, ValidFact } from '@survey/facts/fact.ts';
import { isNewer } from '@survey/facts/version.ts';
import type { Client } from '@survey/postgres/database.ts';
import { microsecondsOf } from '@survey/rfc3339/microseconds.ts';
import type { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../sql/account-state.ts';
import { assignChoiceOrdinals } from '../sql/assign-choice-ordinals.ts';
import { numberRespondents } from '../sql/number-respondents.ts';
import { readKnownResponses, removeAnswers, saveResponses, type SavedResponse } from '../sql/save-responses.ts';

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
  return applyByEmployee(tx, accountId, DEFERRED_RESPONSES, facts, async (known) => {
    const newer = await dropSuperseded(tx, accountId, known, state);
    if (newer.length > 0) await write(tx, accountId, state, newer);
  });
};

// Texts belong to text-analysis. The digest remains that of the whole fact.
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
  const known = await readKnownResponses(
    tx,
    accountId,
    all.map(({ content }) => content.id),
  );
  return all.flatMap((one): NumberedResponse[] => {
    const before = known.get(one.content.id);
    if (before === undefined) return [{ ...one, ordinal: state.responses++, isCorrection: false }];
    return isNewer(one, before) ? [{ ...one, ordinal: before.ordinal, isCorrection: true }] : [];
  });
}

async function write(tx: Client, accountId: number, state: AccountState, newer: readonly NumberedResponse[]): Promise<void> {
  const respondents = await numberRespondents(tx, accountId, state, new Set(newer.map(({ employee }) => employee.id)));
  const chosen = newer.flatMap(({ content }) => choicesOf(content).map(({ optionIds }) => optionIds));
  const choices = await assignChoiceOrdinals(tx, accountId, state, chosen);
  const rows = newer.map(({ content, revision, digest, employee, ordinal }): SavedResponse => ({
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
    answers: choicesOf(content).map(({ questionId, optionIds }) => ({ questionId, choice: numberOf(choices, optionIds.join()) })),
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
function choicesOf({ answers }: ResponseLine): { questionId: number; optionIds: number[] }[] {
  return answers
    .filter(({ option_ids }) => option_ids != null && option_ids.length > 0)
    .map(({ question_id, option_ids }) => ({
      questionId: question_id,
      optionIds: [...new Set(option_ids)].sort((a, b) => a - b),
    }));
}

function numberOf<K>(numbers: ReadonlyMap<K, number>, key: K): number {
  const number = numbers.get(key);
  if (number === undefined) throw new Error('expected an ordinal for every row');
  return number;
}
