import type { ResponseLine } from '@survey/bus/lines/response.ts';
import { applyByEmployee, type EmployeeDeferral } from '@survey/bus/facts/apply-by-employee.ts';
import type { FoundEmployee } from '@survey/bus/facts/employees.ts';
import type { ApplyFacts, ValidFact } from '@survey/bus/facts/fact.ts';
import { isNewer } from '@survey/bus/facts/version.ts';
import type { Client } from '@survey/postgres/database.ts';
import { microsecondsOf } from '@survey/formats/microseconds.ts';
import { lockAccountState, saveAccountState, type AccountState } from '../tables/account-state.ts';
import { assignOrdinals } from './assign-ordinals.ts';
import { readKnownVersions, saveResponses } from './save-responses.ts';
import { assignDeferredTopics } from './apply-topic-assignments.ts';
import { replaceAnswers } from './replace-answers.ts';

export const DEFERRED_RESPONSES: EmployeeDeferral<'response'> = {
  schema: 'text',
  kind: 'response',
  table: 'text.response',
  idType: 'uuid',
  takesOptions: true,
};

type MatchedResponse = ValidFact<'response'> & { readonly employee: FoundEmployee };

/**
 * Ingests text answers. A newer revision of a response replaces the answers of the earlier one.
 * A response is deferred until its employee exists, and gets the options that the employee has
 * then.
 */
export const applyResponses: ApplyFacts<'response'> = async (tx, accountId, facts) => {
  const state = await lockAccountState(tx, accountId);
  return applyByEmployee(tx, accountId, DEFERRED_RESPONSES, facts, async (matched) => {
    const ids = matched.map(({ content }) => content.id);
    const known = await readKnownVersions(tx, accountId, ids);
    const newer = matched.filter((fact) => isNewer(fact, known.get(fact.content.id)));
    if (newer.length > 0) await write(tx, accountId, state, newer);
  });
};

async function write(tx: Client, accountId: number, state: AccountState, newer: readonly MatchedResponse[]): Promise<void> {
  const cycleKey = ({ cycle_id, survey_id }: ResponseLine): string => `${cycle_id} ${survey_id}`;
  const give = assignOrdinals.bind(undefined, tx, accountId, state);
  const respondent = await give(
    'respondents',
    newer.map(({ employee }) => String(employee.id)),
  );
  const cycle = await give(
    'cycles',
    newer.map(({ content }) => cycleKey(content)),
  );
  const optionSet = await give(
    'option_sets',
    newer.map(({ employee }) => employee.optionIds.join()),
  );
  const rows = newer.map(({ content, revision, digest, employee }) => ({
    id: content.id,
    revision,
    digest,
    cycle: cycle(cycleKey(content)),
    respondent: respondent(String(employee.id)),
    employeeId: employee.id,
    optionSet: optionSet(employee.optionIds.join()),
    imported: content.imported ?? false,
    submittedUs: microsecondsOf(content.submitted_at),
  }));
  await saveResponses(tx, accountId, rows);
  const responses = newer.map(({ content }) => content);
  await replaceAnswers(tx, accountId, state, responses);
  await saveAccountState(tx, accountId, state);
  const awaited = responses.map(({ id }) => `response ${id}`);
  await assignDeferredTopics(tx, accountId, state, awaited);
}
