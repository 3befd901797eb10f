import { awaitedEmployee } from '@survey/bus/awaited-employee.ts';
import type { FactConsumer } from '@survey/bus/intake.ts';
import { isNewer, latestByKey, parseFacts } from '@survey/bus/read-facts.ts';
import type { Client } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../sql/account-state.ts';
import { findEmployees, type FoundEmployees } from '../sql/find-employees.ts';
import { assignOrdinals } from '../sql/assign-ordinals.ts';
import { readKnownVersions, saveResponses } from '../sql/save-responses.ts';
import { dropSupersededResponses, deferFacts, takeAssignmentsDeferredFor, type WaitingFact } from '../sql/deferred-facts.ts';
import { assignTopics } from './apply-topic-assignments.ts';
import { readResponse, type ResponseFact } from './read-response.ts';
import { replaceAnswers } from './replace-answers.ts';

// Response whose employee is known.
interface Attributed {
  readonly response: ResponseFact;
  readonly incoming: ResponseFact['incoming'];
  readonly employeeId: number;
  readonly optionIds: readonly number[];
}

/**
 * Ingests text answers. A newer revision of a response replaces the answers of the earlier one.
 * A response is deferred until its employee exists, and gets the options that the employee has
 * then.
 */
export const applyResponses: FactConsumer['apply'] = async (tx, accountId, facts) => {
  const { valid, rejected } = parseFacts(facts, readResponse);
  if (valid.length > 0) await takeIn(tx, accountId, valid);
  return rejected;
};

async function takeIn(tx: Client, accountId: number, responses: readonly ResponseFact[]): Promise<void> {
  const state = await lockAccountState(tx, accountId);
  const { attributed, waiting } = attribute(responses, await findEmployees(tx, accountId, named(responses)));
  const newer = await withoutSuperseded(
    tx,
    accountId,
    latestByKey(attributed, ({ response }) => response.id),
  );
  if (newer.length > 0) await write(tx, accountId, state, newer);
  await deferFacts(
    tx,
    accountId,
    latestByKey(waiting, ({ id, waitsFor }) => `${id} ${waitsFor}`),
  );
  await dropSupersededResponses(
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

function attribute(responses: readonly ResponseFact[], { idOf, optionIdsOf }: FoundEmployees) {
  const attributed: Attributed[] = [];
  const waiting: WaitingFact[] = [];
  for (const response of responses) {
    const { id, incoming, from } = response;
    const employeeId = 'employeeId' in from ? from.employeeId : idOf.get(from.importId);
    const optionIds = employeeId === undefined ? undefined : optionIdsOf.get(employeeId);
    if (employeeId !== undefined && optionIds !== undefined) attributed.push({ response, incoming, employeeId, optionIds });
    else waiting.push({ kind: 'response', id, waitsFor: awaitedEmployee(from), incoming });
  }
  return { attributed, waiting };
}

async function withoutSuperseded(tx: Client, accountId: number, all: readonly Attributed[]): Promise<Attributed[]> {
  const ids = all.map(({ response }) => response.id);
  const known = await readKnownVersions(tx, accountId, ids);
  return all.filter(({ response, incoming }) => {
    const before = known.get(response.id);
    return before === undefined || isNewer(incoming, before);
  });
}

async function write(tx: Client, accountId: number, state: AccountState, newer: readonly Attributed[]): Promise<void> {
  const cycleKey = ({ cycleId, surveyId }: ResponseFact): string => `${cycleId} ${surveyId}`;
  const give = assignOrdinals.bind(undefined, tx, accountId, state);
  const respondent = await give(
    'respondents',
    newer.map(({ employeeId }) => String(employeeId)),
  );
  const cycle = await give(
    'cycles',
    newer.map(({ response }) => cycleKey(response)),
  );
  const optionSet = await give(
    'option_sets',
    newer.map(({ optionIds }) => optionIds.join()),
  );
  const rows = newer.map(({ response, incoming, employeeId, optionIds }) => ({
    id: response.id,
    revision: incoming.revision,
    digest: incoming.digest,
    cycle: cycle(cycleKey(response)),
    respondent: respondent(String(employeeId)),
    optionSet: optionSet(optionIds.join()),
    imported: response.imported,
  }));
  await saveResponses(tx, accountId, rows);
  const responses = newer.map(({ response }) => response);
  await replaceAnswers(tx, accountId, state, responses);
  await saveAccountState(tx, accountId, state);
  const awaited = await takeAssignmentsDeferredFor(
    tx,
    accountId,
    responses.map(({ id }) => `response ${id}`),
  );
  await assignTopics(tx, accountId, state, awaited);
}
