import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConsumerProgress } from '@survey/facts/consumer-progress.ts';
import { FactPublisher } from '@survey/facts/publish-facts.ts';
import { connectTool, type ToolConnection } from '@survey/bus/tool-connection.ts';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import { instantOf } from '@survey/rfc3339/microseconds.ts';
import type { Question, Survey } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { allCalls, contributingCells, isolatedCells, type Cell } from './cell-attack.ts';
import { recoverAnswers, type Ask, type Observation } from './differencing-attack.ts';
import { operatorAt } from '../support/accounts.ts';
import { optionId, optionsOf } from '../support/scales.ts';

const HELP = `Counts the single answers that a read key can recover by comparing periods of GET /v1/scores with 1,000 calls, and the cells below the threshold of 5 that linear algebra over all sets of questions and cycles isolates; without and with the disclosure guard. Exits with 1 when an attack succeeds with the guard.

  node test/failure/differencing.ts [RESPONDENTS …]      20, 100 and 500 by default
`;

const APPLIED_TIMEOUT_MS = 60_000;
const BUDGET = 1_000;
const THRESHOLD = 5;
const QUESTION = 11;
// Answered by few employees.
const SMALL_QUESTIONS = [12, 13, 14];
const QUESTIONS = [QUESTION, ...SMALL_QUESTIONS];
const SMALL_QUESTION_ANSWERS = 12;
const START_US = Date.UTC(2026, 0, 1) * 1_000;
// Length of a cycle: 4 weeks.
const END_US = START_US + 28 * 86_400_000_000;
// Ends of the cycles, in days: the last ones have few respondents.
const CYCLE_ENDS = [21, 27, 28];
const SETTLED_TIMEOUT_MS = 120_000;

interface GivenResponse {
  readonly atUs: number;
  // By question.
  readonly stars: ReadonlyMap<number, number>;
}

interface Organisation {
  readonly accountId: number;
  readonly readKey: string;
  readonly given: readonly GivenResponse[];
}

interface Surroundings {
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
};
const SCALE = { name: { en: 'Content?' }, type: 'stars', is_deleted: false };
const stars = (id: number): Question => ({ id, survey_id: 1, ...SCALE, answer_options: optionsOf(id) });

const dayUs = (day: number): number => START_US + day * 86_400_000_000;

/** Creates an account in which each employee has submitted one response, at distinct times. */
async function found(people: number, { natsUrl, accountAdminAddress }: Surroundings): Promise<Organisation> {
  const account = await createDemoAccount(accountAdminAddress);
  await using tool = await connectTool(natsUrl, 'differencing');
  const publisher = new FactPublisher(tool.bus, { accountId: account.account_id, source: randomUUID() });
  await publisher.add('survey', { revision: 1, line: 1, survey: SURVEY });
  for (const id of QUESTIONS) await publisher.add('question', { revision: 1, line: 2, question: stars(id) });
  const cycles = CYCLE_ENDS.map((end, index) => ({ id: randomUUID(), from: CYCLE_ENDS[index - 1] ?? 0, end }));
  for (const { id, from, end } of cycles) {
    const cycle = { id, survey_id: 1, opened_at: instantOf(dayUs(from)), closed_at: instantOf(dayUs(end)) };
    await publisher.add('cycle', { revision: 1, line: 2, cycle });
  }
  for (let id = 1; id <= people; id += 1) {
    const employee = { id, email: `${id}@x.io`, is_deleted: false, created_via: 'app', attributes: [] };
    await publisher.add('employee', { revision: 1, line: 2, employee });
  }
  // Responses of unknown employees would be deferred.
  await untilApplied(tool.bus, publisher);
  const given = Array.from({ length: people }, () => ({
    atUs: START_US + Math.floor(Math.random() * (END_US - START_US)),
    stars: randomStars(people),
  }));
  for (const [index, { atUs, stars }] of given.entries()) {
    const answers = [...stars].map(([id, value]) => ({ question_id: id, option_ids: [optionId(id, value)] }));
    const cycle_id = cycles[cycleAt(atUs)]?.id ?? '';
    const about = { survey_id: 1, cycle_id, submitted_at: instantOf(atUs), imported: false, answers };
    await publisher.add('response', {
      revision: 1,
      line: 3 + index,
      response: { id: randomUUID(), employee: { id: index + 1 }, ...about },
    });
  }
  await untilApplied(tool.bus, publisher);
  return { accountId: account.account_id, readKey: account.read_key, given };
}

function randomStars(people: number): ReadonlyMap<number, number> {
  const small = SMALL_QUESTIONS.filter(() => Math.random() < SMALL_QUESTION_ANSWERS / people);
  return new Map([QUESTION, ...small].map((id) => [id, 1 + Math.floor(Math.random() * 5)]));
}

const cycleAt = (atUs: number): number => CYCLE_ENDS.findIndex((end) => atUs < dayUs(end));

async function untilApplied(bus: ToolConnection['bus'], publisher: FactPublisher): Promise<void> {
  await publisher.flush();
  const deadline = Date.now() + APPLIED_TIMEOUT_MS;
  while ((await readConsumerProgress(bus, publisher.published)).some(({ remaining }) => remaining > 0)) {
    if (Date.now() > deadline) throw new Error(`facts are not applied after ${APPLIED_TIMEOUT_MS} ms`);
    await sleep(20);
  }
}

async function readScore(gatewayUrl: string, readKey: string, questionIds: readonly number[], fromUs: number, toUs: number) {
  const query = `question_ids=${questionIds.join()}&period_from=${instantOf(fromUs)}&period_to=${instantOf(toUs)}`;
  const response = await fetch(`${gatewayUrl}/v1/scores?${query}`, { headers: { 'X-Api-Key': readKey } });
  if (response.status !== 200) throw new Error(`cannot read scores: ${response.status} ${await response.text()}`);
  // The two fields of a score that the attacker uses.
  return (await response.json()) as Observation;
}

/** The API with a read key, and the number of calls. */
function limitedAsk(gatewayUrl: string, readKey: string): { ask: Ask; calls: () => number } {
  let calls = 0;
  const ask: Ask = async (fromUs, toUs) => {
    if (calls === BUDGET) return undefined;
    calls += 1;
    return readScore(gatewayUrl, readKey, [QUESTION], fromUs, toUs);
  };
  return { ask, calls: () => calls };
}

/** Reads the scores of all sets of questions and cycles, and isolates cells by linear algebra. */
async function attackCells(gatewayUrl: string, { readKey, given }: Organisation) {
  const answered = [];
  for (const call of allCalls(QUESTIONS, CYCLE_ENDS.length)) {
    const [from, to] = [dayUs(CYCLE_ENDS[call.first - 1] ?? 0), dayUs(CYCLE_ENDS[call.last] ?? 0)];
    const { score } = await readScore(gatewayUrl, readKey, call.questionIds, from, to);
    if (score !== null) answered.push({ ...call, score });
  }
  const cells = QUESTIONS.flatMap((id) => CYCLE_ENDS.map((_, cycle) => cellOf(given, id, cycle)));
  const isSmall = ({ count }: Cell): boolean => count > 0 && count < THRESHOLD;
  const isolated = isolatedCells(answered, contributingCells(answered, cells, THRESHOLD));
  return {
    scores_released: answered.length,
    small_cells: cells.filter(isSmall).length,
    small_cells_isolated: isolated.filter(isSmall).length,
  };
}

function cellOf(given: readonly GivenResponse[], questionId: number, cycle: number): Cell {
  const values = given.filter(({ atUs }) => cycleAt(atUs) === cycle).flatMap(({ stars }) => stars.get(questionId) ?? []);
  return { questionId, cycle, count: values.length, sum: values.reduce((sum, value) => sum + 25 * (value - 1), 0) };
}

/** Turns the disclosure guard on, and waits until it releases the first cycle. */
async function guard({ accountId, readKey }: Organisation, { gatewayUrl, accountAdminAddress }: Surroundings): Promise<void> {
  using operator = operatorAt(accountAdminAddress);
  const settings = { account_id: accountId, masking_categories: null, disclosure_guard: 'strict' };
  await operator.admin.setSettings(settings, { caller: { requestId: 'test' }, deadlineMs: 10_000 });
  const deadline = Date.now() + SETTLED_TIMEOUT_MS;
  while ((await readScore(gatewayUrl, readKey, [QUESTION], START_US - 1, END_US)).score === null) {
    if (Date.now() > deadline) throw new Error(`no cycle is released after ${SETTLED_TIMEOUT_MS} ms`);
    await sleep(50);
  }
}

async function attack(organisation: Organisation, { gatewayUrl }: Surroundings) {
  const { readKey, given } = organisation;
  const { ask, calls } = limitedAsk(gatewayUrl, readKey);
  const recovered = await recoverAnswers(ask, START_US, END_US);
  const right = recovered.filter(({ afterUs, untilUs, value }) => {
    const [answer, ...others] = given.filter(({ atUs }) => atUs > afterUs && atUs <= untilUs);
    return others.length === 0 && answer !== undefined && Math.round(value / 25) + 1 === answer.stars.get(QUESTION);
  });
  return {
    respondents: given.length,
    calls: calls(),
    recovered: right.length,
    wrong: recovered.length - right.length,
    percent: Math.round((1_000 * right.length) / given.length) / 10,
    ...(await attackCells(gatewayUrl, organisation)),
  };
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return say(HELP);
  const sizes = args.length > 0 ? args.map(Number) : [20, 100, 500];
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'survey-differencing-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const given = { DATABASE_URL: undefined, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'warn' };
  const { stack } = await startLocalStack({ folder, demo: false, given, started });
  const around = {
    gatewayUrl: stack.gateway_url,
    natsUrl: stack.nats_url,
    accountAdminAddress: stack.account_admin_address,
  };
  for (const size of sizes) {
    const organisation = await found(size, around);
    say(JSON.stringify({ guard: 'off', ...(await attack(organisation, around)) }));
    await guard(organisation, around);
    const guarded = await attack(organisation, around);
    say(JSON.stringify({ guard: 'strict', ...guarded }));
    if (guarded.recovered > 0 || guarded.small_cells_isolated > 0) process.exitCode = 1;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
