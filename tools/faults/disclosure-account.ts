import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConsumerProgress } from '@survey/bus/facts/consumer-progress.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { connectTool, type ToolConnection } from '@survey/bus/connection.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import { instantOf } from '@survey/formats/instant.ts';
import type { Fact, Question, Survey } from '@survey/proto/intake/v1/intake.ts';
import { operatorAt } from '../../test/support/accounts.ts';
import { optionId, optionsOf } from '../../test/support/scales.ts';

export const THRESHOLD = 5;
export const QUESTION = 11;
// Answered by few employees.
const SMALL_QUESTIONS = [12, 13, 14];
export const QUESTIONS = [QUESTION, ...SMALL_QUESTIONS];
const SMALL_QUESTION_ANSWERS = 12;
const TEXT_QUESTION = 15;
// Of 20 employees, 9 are of the first team and 1 of the last.
const TEAM_ENDS = [9, 17, 19, 20];
export const TEAMS = [...TEAM_ENDS.keys()];

export const START_US = Date.UTC(2026, 0, 1) * 1_000;
// Length of a cycle: 4 weeks.
export const END_US = START_US + 28 * 86_400_000_000;
// Ends of the cycles, in days: the last ones have few respondents.
export const CYCLE_ENDS = [21, 27, 28];
const APPLIED_TIMEOUT_MS = 60_000;
const SETTLED_TIMEOUT_MS = 120_000;
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

export interface GivenResponse {
  readonly atUs: number;
  readonly team: number;
  // By question.
  readonly stars: ReadonlyMap<number, number>;
}

/** An account in which each employee has submitted one response, at distinct times. */
export interface Organisation {
  readonly accountId: number;
  readonly readKey: string;
  // By employee, from id 1. The text of employee n is `text n`.
  readonly given: readonly GivenResponse[];
  readonly cycleIds: readonly string[];
  // Options of the filter attribute, by team.
  readonly optionIds: readonly number[];
}

export interface Surroundings {
  readonly gatewayUrl: string;
  readonly natsUrl: string;
  readonly accountAdminAddress: string;
}

const SURVEY: Survey = {
  id: 1,
  name: { en: 'Pulse' },
  frequency: 'monthly',
  created_at: '2026-01-01T00:00:00Z',
  is_archived: false,
  is_deactivated: false,
  employees_with_access_to_results: [],
  survey_properties: [],
  timezone: 'UTC',
  score_threshold: THRESHOLD,
  text_threshold: THRESHOLD,
};

const question = (id: number): Question => ({
  id,
  survey_id: 1,
  name: { en: 'Content?' },
  type: id === TEXT_QUESTION ? 'textfield' : 'stars',
  is_deleted: false,
  answer_options: id === TEXT_QUESTION ? [] : optionsOf(id),
});

export const dayUs = (day: number): number => START_US + day * 86_400_000_000;

export const cycleAt = (atUs: number): number => CYCLE_ENDS.findIndex((end) => atUs < dayUs(end));

export const teamOf = (employee: number): number => TEAM_ENDS.findIndex((end) => employee % 20 < end);

export async function createOrganisation(people: number, random: () => number, around: Surroundings): Promise<Organisation> {
  const account = await createDemoAccount(around.accountAdminAddress);
  await using tool = await connectTool(around.natsUrl, 'disclosure');
  const publisher = new FactPublisher(tool.bus, { accountId: account.account_id, source: randomUUID() });
  let line = 0;
  const add = (kind: Parameters<FactPublisher['add']>[0], fact: Partial<Fact>): Promise<void> =>
    publisher.add(kind, { revision: 1, line: (line += 1), ...fact });
  await add('survey', { survey: SURVEY });
  for (const id of [...QUESTIONS, TEXT_QUESTION]) await add('question', { question: question(id) });
  const cycles = CYCLE_ENDS.map((end, index) => ({ id: randomUUID(), from: CYCLE_ENDS[index - 1] ?? 0, end }));
  for (const { id, from, end } of cycles) {
    const cycle = { id, survey_id: 1, opened_at: instantOf(dayUs(from)), closed_at: instantOf(dayUs(end)) };
    await add('cycle', { cycle });
  }
  for (let id = 1; id <= people; id += 1) {
    const attributes = [{ name: 'Team', value: `Team ${teamOf(id)}` }];
    await add('employee', { employee: { id, email: `${id}@x.io`, is_deleted: false, created_via: 'app', attributes } });
  }
  // Responses of unknown employees would be deferred.
  await untilApplied(tool.bus, publisher);
  const given = Array.from({ length: people }, (_, index): GivenResponse => {
    const atUs = START_US + Math.floor(random() * (END_US - START_US));
    return { atUs, team: teamOf(index + 1), stars: randomStars(people, random) };
  });
  for (const [index, { atUs, stars }] of given.entries()) {
    const numeric = [...stars].map(([id, value]) => ({ question_id: id, option_ids: [optionId(id, value)] }));
    const answers = [...numeric, { question_id: TEXT_QUESTION, option_ids: [], text: `text ${index + 1}` }];
    const about = { survey_id: 1, cycle_id: cycles[cycleAt(atUs)]?.id ?? '', submitted_at: instantOf(atUs), imported: false };
    await add('response', { response: { id: randomUUID(), employee: { id: index + 1 }, ...about, answers } });
  }
  await untilApplied(tool.bus, publisher);
  const { account_id: accountId, read_key: readKey } = account;
  const cycleIds = cycles.map(({ id }) => id);
  return { accountId, readKey, given, cycleIds, optionIds: await filterByTeam(accountId, readKey, around) };
}

function randomStars(people: number, random: () => number): ReadonlyMap<number, number> {
  const small = SMALL_QUESTIONS.filter(() => random() < SMALL_QUESTION_ANSWERS / people);
  return new Map([QUESTION, ...small].map((id) => [id, 1 + Math.floor(random() * 5)]));
}

// Makes the team the filter attribute. Returns the ids of its options, by team.
async function filterByTeam(
  accountId: number,
  readKey: string,
  { gatewayUrl, accountAdminAddress }: Surroundings,
): Promise<number[]> {
  using operator = operatorAt(accountAdminAddress);
  const settings = { account_id: accountId, masking_categories: null, text_filter_attribute: 'Team' };
  await operator.admin.setSettings(settings, AS_OPERATOR);
  const { attribute_id } = await operator.admin.releaseAttribute({ account_id: accountId, name: 'Team' }, AS_OPERATOR);
  const path = `/v1/attributes/${attribute_id}/options`;
  const response = await fetch(`${gatewayUrl}${path}`, { headers: { 'X-Api-Key': readKey } });
  // The two fields of an option that the attacker uses.
  const { options } = (await response.json()) as { options: { id: number; name: string }[] };
  return TEAMS.map((team) => options.find(({ name }) => name === `Team ${team}`)?.id ?? 0);
}

async function untilApplied(bus: ToolConnection['bus'], publisher: FactPublisher): Promise<void> {
  await publisher.flush();
  const deadline = Date.now() + APPLIED_TIMEOUT_MS;
  while ((await readConsumerProgress(bus, publisher.published)).some(({ remaining }) => remaining > 0)) {
    if (Date.now() > deadline) throw new Error(`facts are not applied after ${APPLIED_TIMEOUT_MS} ms`);
    await sleep(20);
  }
}

/** Turns the disclosure guard on, and waits until blocks of all cycles are made. */
export async function guard({ accountId, given }: Organisation, { accountAdminAddress }: Surroundings): Promise<void> {
  using operator = operatorAt(accountAdminAddress);
  const settings = { account_id: accountId, masking_categories: null, disclosure_guard: 'strict' };
  await operator.admin.setSettings(settings, AS_OPERATOR);
  const answered = new Set(given.map(({ atUs }) => cycleAt(atUs))).size;
  const days = { from: '2026-01-01', to: '2026-02-28' };
  const deadline = Date.now() + SETTLED_TIMEOUT_MS;
  for (;;) {
    const { cycles } = await operator.admin.reportAnonymity({ account_id: accountId, ...days }, AS_OPERATOR);
    const judged = cycles.filter(
      ({ scores_released, scores_too_few, texts_released, texts_withheld }) =>
        scores_released + scores_too_few > 0 && texts_released + texts_withheld > 0,
    );
    if (judged.length === answered) return;
    if (Date.now() > deadline) throw new Error(`not all cycles are settled after ${SETTLED_TIMEOUT_MS} ms`);
    await sleep(50);
  }
}
