import { awaitedEmployee } from '@survey/bus/awaited-employee.ts';
import type { FactConsumer } from '@survey/bus/intake.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../sql/account-state.ts';
import { findEmployees, type FoundEmployees } from '../sql/find-employees.ts';
import { assignChoiceOrdinals } from '../sql/assign-choice-ordinals.ts';
import { numberRespondents } from '../sql/number-respondents.ts';
import { readKnownResponses, removeAnswers, saveResponses, type SavedResponse } from '../sql/save-responses.ts';
import { deleteSuperseded, deferResponses, type DeferredResponse } from '../sql/deferred-responses.ts';
import { isNewer, latestByKey, parseFacts } from '@survey/bus/read-facts.ts';
import { readResponse, type ResponseFact } from './read-response.ts';

// A response whose respondent is known.
interface MatchedResponse {
  readonly response: ResponseFact;
  readonly incoming: ResponseFact['incoming'];
  readonly employeeId: number;
  readonly optionIds: readonly number[];
}

/**
 * Ingests responses. A newer revision replaces the answers of the previous one. A response is
 * deferred until its employee exists; it counts with the options that the employee has then.
 */
export const applyResponses: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { valid, rejected } = parseFacts(facts, readResponse);
  if (valid.length > 0) await ingest(tx, accountId, valid);
  return rejected;
};

async function ingest(tx: Client, accountId: number, responses: readonly ResponseFact[]): Promise<void> {
  const state = await lockAccountState(tx, accountId);
  const { attributed, waiting } = matchEmployees(responses, await findEmployees(tx, accountId, named(responses)));
  const newer = await dropSupersededResponses(
    tx,
    accountId,
    latestByKey(attributed, ({ response }) => response.id),
    state,
  );
  if (newer.length > 0) await write(tx, accountId, state, newer);
  await deferResponses(
    tx,
    accountId,
    latestByKey(waiting, ({ id, waitsFor }) => `${id} ${waitsFor}`),
  );
  await deleteSuperseded(
    tx,
    accountId,
    responses.map(({ id }) => id),
  );
}

function named(responses: readonly ResponseFact[]): { ids: number[]; importIds: string[] } {
  const from = responses.map((response) => response.from);
  return {
    ids: [...new Set(from.flatMap((one) => ('employeeId' in one ? one.employeeId : [])))],
    importIds: [...new Set(from.flatMap((one) => ('importId' in one ? one.importId : [])))],
  };
}

function matchEmployees(responses: readonly ResponseFact[], { idOf, optionIdsOf }: FoundEmployees) {
  const attributed: MatchedResponse[] = [];
  const waiting: DeferredResponse[] = [];
  for (const response of responses) {
    const { id, incoming, from } = response;
    const employeeId = 'employeeId' in from ? from.employeeId : idOf.get(from.importId);
    const optionIds = employeeId === undefined ? undefined : optionIdsOf.get(employeeId);
    if (employeeId !== undefined && optionIds !== undefined) attributed.push({ response, incoming, employeeId, optionIds });
    else waiting.push({ id, waitsFor: awaitedEmployee(from), incoming });
  }
  return { attributed, waiting };
}

interface Numbered extends MatchedResponse {
  readonly ordinal: number;
  readonly isCorrection: boolean;
}

// Assigns an ordinal to each new response and drops responses that are not newer than the stored
// ones.
async function dropSupersededResponses(
  tx: Client,
  accountId: number,
  all: readonly MatchedResponse[],
  state: AccountState,
): Promise<Numbered[]> {
  const known = await readKnownResponses(
    tx,
    accountId,
    all.map(({ response }) => response.id),
  );
  return all.flatMap((one): Numbered[] => {
    const before = known.get(one.response.id);
    if (before === undefined) return [{ ...one, ordinal: state.responses++, isCorrection: false }];
    return isNewer(one.incoming, before) ? [{ ...one, ordinal: before.ordinal, isCorrection: true }] : [];
  });
}

async function write(tx: Client, accountId: number, state: AccountState, newer: readonly Numbered[]): Promise<void> {
  const people = await numberRespondents(tx, accountId, state, new Set(newer.map(({ employeeId }) => employeeId)));
  const chosen = newer.flatMap(({ response }) => response.answers.map(({ optionIds }) => optionIds));
  const choices = await assignChoiceOrdinals(tx, accountId, state, chosen);
  const rows = newer.map(({ response, incoming, employeeId, optionIds, ordinal }): SavedResponse => ({
    ...response,
    revision: incoming.revision,
    digest: incoming.digest,
    ordinal,
    respondent: numberOf(people, employeeId),
    optionIds,
    sequence: ++state.sequence,
    answers: response.answers.map(({ questionId, optionIds }) => ({ questionId, choice: numberOf(choices, optionIds.join()) })),
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

function numberOf<K>(numbers: ReadonlyMap<K, number>, key: K): number {
  const number = numbers.get(key);
  if (number === undefined) throw new Error('everything was numbered');
  return number;
}
