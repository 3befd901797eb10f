import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConsumerProgress } from '@survey/facts/consumer-progress.ts';
import { FactPublisher } from '@survey/facts/publish-facts.ts';
import { connectTool } from '@survey/bus/tool-connection.ts';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import type { Question, Survey } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { recoverAnswers, type Ask, type Observation } from './differencing-attack.ts';
import { optionId, optionsOf } from '../support/scales.ts';

const HELP = `How many single answers a read key can recover by comparing windows of GET /v1/scores, with 1,000 calls and a threshold of 5.

  node test/failure/differencing.ts [RESPONDENTS …]      20, 100 and 500 by default
`;

const APPLIED_TIMEOUT_MS = 60_000;
const BUDGET = 1_000;
const THRESHOLD = 5;
const QUESTION = 11;
const START_US = Date.UTC(2026, 0, 1) * 1_000;
// A cycle of four weeks.
const END_US = START_US + 28 * 86_400_000_000;

interface GivenAnswer {
  readonly atUs: number;
  readonly stars: number;
}

interface Organisation {
  readonly readKey: string;
  readonly given: readonly GivenAnswer[];
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
const STARS: Question = {
  id: QUESTION,
  survey_id: 1,
  name: { en: 'Content?' },
  type: 'stars',
  is_deleted: false,
  answer_options: optionsOf(QUESTION),
};

/** An account in which each of `people` has given one answer, at a moment of their own. */
async function found(people: number, { natsUrl, accountAdminAddress }: Surroundings): Promise<Organisation> {
  const account = await createDemoAccount(accountAdminAddress);
  await using tool = await connectTool(natsUrl, 'differencing');
  const publisher = new FactPublisher(tool.bus, { accountId: account.account_id, source: randomUUID() });
  await publisher.add('survey', { revision: 1, line: 1, survey: SURVEY });
  await publisher.add('question', { revision: 1, line: 2, question: STARS });
  const given = Array.from({ length: people }, () => ({
    atUs: START_US + Math.floor(Math.random() * (END_US - START_US)),
    stars: 1 + Math.floor(Math.random() * 5),
  }));
  const cycle_id = randomUUID();
  for (const [index, { atUs, stars }] of given.entries()) {
    const answers = [{ question_id: QUESTION, option_ids: [optionId(QUESTION, stars)] }];
    const about = { survey_id: 1, cycle_id, submitted_at: instant(atUs), imported: false, answers };
    await publisher.add('response', {
      revision: 1,
      line: 3 + index,
      response: { id: randomUUID(), employee: { id: index + 1 }, ...about },
    });
  }
  await publisher.flush();
  const deadline = Date.now() + APPLIED_TIMEOUT_MS;
  while ((await readConsumerProgress(tool.bus, publisher.published)).some(({ remaining }) => remaining > 0)) {
    if (Date.now() > deadline) throw new Error(`facts are not applied after ${APPLIED_TIMEOUT_MS} ms`);
    await sleep(20);
  }
  return { readKey: account.read_key, given };
}

function instant(us: number): string {
  const ms = Math.floor(us / 1_000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * 1_000).padStart(3, '0')}Z`;
}

/** The API as the attacker has it, and how often it was called. */
function limitedAsk(gatewayUrl: string, readKey: string): { ask: Ask; calls: () => number } {
  let calls = 0;
  const ask: Ask = async (fromUs, toUs) => {
    if (calls === BUDGET) return undefined;
    calls += 1;
    const query = `question_ids=${QUESTION}&period_from=${instant(fromUs)}&period_to=${instant(toUs)}`;
    const response = await fetch(`${gatewayUrl}/v1/scores?${query}`, { headers: { 'X-Api-Key': readKey } });
    if (response.status !== 200) throw new Error(`GET /v1/scores: ${response.status} ${await response.text()}`);
    // The contract's Score, of which the attacker uses these two.
    return (await response.json()) as Observation;
  };
  return { ask, calls: () => calls };
}

async function attack(people: number, around: Surroundings) {
  const { readKey, given } = await found(people, around);
  const { ask, calls } = limitedAsk(around.gatewayUrl, readKey);
  const recovered = await recoverAnswers(ask, START_US, END_US);
  const right = recovered.filter(({ afterUs, untilUs, value }) => {
    const [answer, ...others] = given.filter(({ atUs }) => atUs > afterUs && atUs <= untilUs);
    return others.length === 0 && answer !== undefined && Math.round(value / 25) === answer.stars - 1;
  });
  const percent = Math.round((1_000 * right.length) / people) / 10;
  return {
    respondents: people,
    threshold: THRESHOLD,
    calls: calls(),
    recovered: right.length,
    wrong: recovered.length - right.length,
    percent,
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
  for (const size of sizes) say(JSON.stringify(await attack(size, around)));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
