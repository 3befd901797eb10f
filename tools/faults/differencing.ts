import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { instantOf } from '@survey/formats/instant.ts';
import { seededRandom } from '../../test/support/random.ts';
import {
  allCalls,
  blocksOf,
  explain,
  isolatedCells,
  withoutGroups,
  type Cell,
  type CellCall,
} from '../../test/property/cell-attack.ts';
import { recoverAnswers, type Observation } from './differencing-attack.ts';
import {
  createOrganisation,
  CYCLE_ENDS,
  cycleAt,
  dayUs,
  END_US,
  guard,
  QUESTION,
  QUESTIONS,
  START_US,
  TEAMS,
  THRESHOLD,
  type Organisation,
  type Surroundings,
} from './disclosure-account.ts';
import { attackLeaver, coarse, exact } from '../../test/property/leaver-attack.ts';
import { groupsToldApart } from '../../test/property/text-attack.ts';

const HELP = `Attacks accounts over HTTP with a read key, without and with the disclosure guard, and prints a table of both: the single answers that comparing periods of GET /v1/scores recovers with 1,000 calls; the groups of answers below the threshold of 5 that linear algebra over all sets of questions, cycles and (with the guard) filters isolates; and the texts that the lists of all filters of GET /v1/text_responses attribute to fewer employees than the threshold. Exits with 1 when an attack succeeds with the guard, or when comparing periods of 100 employees or more recovers less than 95 % without it.

  npm run test:disclosure -- [EMPLOYEES …] [--seeds N] [--seconds S]

  EMPLOYEES      sizes of the accounts: 20, 100 and 500 by default
  --seeds N      accounts of each size, with seeds from 1 (default 1)
  --seconds S    start no further account after this time (default: no limit)
`;

const BUDGET = 1_000;
const LIVE_FROM = 100;
const MIN_RECOVERED_PERCENT = 95;

async function getJson(gatewayUrl: string, readKey: string, path: string): Promise<unknown> {
  const response = await fetch(`${gatewayUrl}${path}`, { headers: { 'X-Api-Key': readKey } });
  if (response.status !== 200) throw new Error(`cannot read ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function readScore(gatewayUrl: string, readKey: string, query: string, fromUs: number, toUs: number) {
  const period = `period_from=${instantOf(fromUs)}&period_to=${instantOf(toUs)}`;
  // The two fields of a score that the attacker uses.
  const seen = (await getJson(gatewayUrl, readKey, `/v1/scores?${query}&${period}`)) as Observation;
  return seen;
}

const filterOf = (teams: readonly number[], optionIds: readonly number[]): string =>
  `&attribute_option_ids=${teams.map((team) => optionIds[team]).join()}`;

/** Compares periods of one question. Returns the share of the answers that it recovers. */
async function attackPeriods(gatewayUrl: string, { readKey, given }: Organisation) {
  let calls = 0;
  const ask = async (fromUs: number, toUs: number): Promise<Observation | undefined> =>
    calls++ < BUDGET ? readScore(gatewayUrl, readKey, `question_ids=${QUESTION}`, fromUs, toUs) : undefined;
  const recovered = await recoverAnswers(ask, START_US, END_US);
  const right = recovered.filter(({ afterUs, untilUs, value }) => {
    const [answer, ...others] = given.filter(({ atUs }) => atUs > afterUs && atUs <= untilUs);
    return others.length === 0 && answer !== undefined && Math.round(value / 25) + 1 === answer.stars.get(QUESTION);
  });
  return { recovered: right.length, percent: Math.round((1_000 * right.length) / given.length) / 10 };
}

/** Reads the scores of all calls, and isolates groups of answers by linear algebra. */
async function attackCells(gatewayUrl: string, organisation: Organisation, isGuarded: boolean) {
  const { readKey, given, optionIds } = organisation;
  const answered: (CellCall & { score: number })[] = [];
  for (const call of allCalls(QUESTIONS, CYCLE_ENDS.length, isGuarded ? TEAMS : [])) {
    const [from, to] = [dayUs(CYCLE_ENDS[call.first - 1] ?? 0), dayUs(CYCLE_ENDS[call.last] ?? 0)];
    const filter = call.groups === undefined ? '' : filterOf(call.groups, optionIds);
    const extension = isGuarded ? `${filter}&survey_ids=1&participation=true` : '';
    const query = `question_ids=${call.questionIds.join()}${extension}`;
    const { score, respondents } = await readScore(gatewayUrl, readKey, query, from, to);
    if (isGuarded && (respondents % THRESHOLD !== 0 || (respondents === 0) !== (score === null)))
      throw new Error('expected respondents in steps of the threshold');
    if (score !== null) answered.push({ ...call, score });
  }
  const cells = QUESTIONS.flatMap((id) => CYCLE_ENDS.flatMap((_, cycle) => TEAMS.map((team) => cellOf(given, id, cycle, team))));
  const known = isGuarded ? cells : withoutGroups(cells);
  const isSmall = ({ count }: Cell): boolean => count > 0 && count < THRESHOLD;
  const isolated = isolatedCells(answered, known, explain(answered, known, blocksOf(known, THRESHOLD)));
  return { scores: answered.length, small: known.filter(isSmall).length, isolated: isolated.filter(isSmall).length };
}

function cellOf(given: Organisation['given'], questionId: number, cycle: number, group: number): Cell {
  const own = given.filter(({ atUs, team }) => cycleAt(atUs) === cycle && team === group);
  const values = own.flatMap(({ stars }) => stars.get(questionId) ?? []);
  return { questionId, cycle, group, count: values.length, sum: values.reduce((sum, value) => sum + 25 * (value - 1), 0) };
}

/**
 * Reads the texts of each cycle and of all cycles with every filter. Returns how many of them are
 * attributed to fewer employees than the threshold.
 */
async function attackTexts(gatewayUrl: string, { readKey, optionIds, cycleIds }: Organisation): Promise<number> {
  const filters = [
    '',
    ...allCalls([0], 1, TEAMS).flatMap(({ groups }) => (groups === undefined ? [] : filterOf(groups, optionIds))),
  ];
  const lists: string[][] = [];
  for (const cycle of ['', ...cycleIds.map((id) => `&survey_cycle_ids=${id}`)]) {
    for (const filter of filters) {
      const path = `/v1/text_responses?limit=1000${cycle}${filter}`;
      const { responses } = (await getJson(gatewayUrl, readKey, path)) as { responses: { text: string }[] };
      lists.push(responses.map(({ text }) => text));
    }
  }
  const groups = groupsToldApart(lists, (text) => Number(text.slice('text '.length)));
  return groups.filter(({ size }) => size < THRESHOLD).reduce((sum, { size }) => sum + size, 0);
}

interface Row {
  readonly employees: number;
  readonly seed: number;
  readonly 'answers recovered': number;
  readonly percent: number;
  readonly 'scores released': number;
  readonly 'small groups': number;
  readonly 'groups isolated': number;
  readonly 'texts attributed': number;
}

async function attack(organisation: Organisation, seed: number, isGuarded: boolean, gatewayUrl: string): Promise<Row> {
  const { recovered, percent } = await attackPeriods(gatewayUrl, organisation);
  const { scores, small, isolated } = await attackCells(gatewayUrl, organisation, isGuarded);
  return {
    employees: organisation.given.length,
    seed,
    'answers recovered': recovered,
    percent,
    'scores released': scores,
    'small groups': small,
    'groups isolated': isolated,
    'texts attributed': await attackTexts(gatewayUrl, organisation),
  };
}

async function attackAll(sizes: readonly number[], seeds: number, until: number, around: Surroundings) {
  const [off, strict]: [Row[], Row[]] = [[], []];
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const size of sizes) {
      if (Date.now() > until) return { off, strict };
      const organisation = await createOrganisation(size, seededRandom(seed), around);
      off.push(await attack(organisation, seed, false, around.gatewayUrl));
      await guard(organisation, around);
      strict.push(await attack(organisation, seed, true, around.gatewayUrl));
    }
  }
  return { off, strict };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, seeds: { type: 'string', default: '1' }, seconds: { type: 'string' } },
  });
  if (values.help) return console.log(HELP);
  const sizes = positionals.length > 0 ? positionals.map(Number) : [20, 100, 500];
  const until = values.seconds === undefined ? Infinity : Date.now() + 1_000 * Number(values.seconds);
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'survey-differencing-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const given = { DATABASE_URL: undefined, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'warn' };
  const { stack } = await startLocalStack({ folder, demo: false, given, started });
  const { gateway_url: gatewayUrl, nats_url: natsUrl, account_admin_address: accountAdminAddress } = stack;
  const { off, strict } = await attackAll(sizes, Number(values.seeds), until, { gatewayUrl, natsUrl, accountAdminAddress });
  for (const [mode, rows] of Object.entries({ off, strict })) {
    console.log(`\nDisclosure guard: ${mode}`);
    console.table(rows);
  }
  console.log('\nComparing two cycles of a group, one of whom left: share of leavers whose answer is named, by computation');
  console.table(
    [6, 8, 12, 19].map((people) => ({
      people,
      strict: attackLeaver(people, exact).named,
      coarse: attackLeaver(people, coarse).named,
    })),
  );
  const succeeded = strict.some((row) => row['answers recovered'] + row['groups isolated'] + row['texts attributed'] > 0);
  const failed = off.some(({ employees, percent }) => employees >= LIVE_FROM && percent < MIN_RECOVERED_PERCENT);
  if (succeeded || failed) process.exitCode = 1;
}

await main();
