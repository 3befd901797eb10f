import { isDeepStrictEqual } from 'node:util';
import { inAccount } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { createLog } from '@survey/process/log.ts';
import { topicKey } from '@survey/text-analysis/rules/topic-key.ts';
import { backfillStages } from '@survey/text-analysis/stages/backfill.ts';
import { processBatch } from '@survey/text-analysis/stages/process-batch.ts';
import { retryText } from '@survey/text-analysis/stages/requeue-answers.ts';
import { lockAccountState, saveAccountState } from '@survey/text-analysis/tables/account-state.ts';
import { categoriseStage } from '@survey/text-analysis/topics/categorise-stage.ts';
import type { Categoriser } from '@survey/text-analysis/topics/categoriser.ts';
import { mergeTopics } from '@survey/text-analysis/topics/merge-topics.ts';
import { insertTopics } from '@survey/text-analysis/topics/topic-aliases.ts';
import { moveAnswers } from '@survey/text-analysis/topics/topic-answers.ts';
import { cacheTopicViews } from '@survey/text-analysis/topics/topic-views.ts';
import { expect, it } from 'vitest';
import { contextOf, createTextAccount, openTextDatabase } from '../../property/text-database.ts';
import { question } from '../../support/facts.ts';
import { explore, selected, type Schedule } from './explore.ts';
import { arrangePeople, deleteAccount, erase, factOf, runSteps, withReplacedLine } from './run-text-schedule.ts';
import { CORRECTED, topicCases, TOPICS, type TopicMechanisms, type TopicWorld } from './topic-model.ts';

const ALL: TopicMechanisms = {
  topicsOfText: true,
  givenUpText: true,
  wantedTaxonomy: true,
  decisions: true,
  closedAccount: true,
};
const CASES = topicCases(ALL);
const violationsOf = (on: TopicMechanisms): Set<string> =>
  new Set(topicCases(on).flatMap((one) => explore(one).flatMap(({ violations }) => violations)));

it('keeps every promise in each order of the steps of two actors', () => {
  expect([...violationsOf(ALL)]).toEqual([]);
});

const database = await openTextDatabase();
const { text: pool, db } = database;
const log = createLog('test', 'silent');
// Finds the topics that a text names, so that the model knows them.
const naming: Categoriser = {
  version: 'naming',
  assign: ({ text, topics }) =>
    Promise.resolve(
      topics.flatMap(({ topicId, name, otherNames = [] }) =>
        [name, ...otherNames].some((each) => text.includes(each)) ? [{ topicId, score: 1 }] : [],
      ),
    ),
};
const stage = categoriseStage(
  { modelVersion: naming.version, findCategoriser: () => Promise.resolve(naming) },
  cacheTopicViews(),
);
const [FIRST, SECOND] = [1, 2];
const SETTINGS = { effect: 'off', categories: ['email'], filterAttribute: null } as const;

async function createTopics(accountId: number): Promise<void> {
  await inAccount(pool, accountId, async (tx) => {
    const state = await lockAccountState(tx, accountId);
    Object.assign(state, { topics: TOPICS.length, taxonomy_version: 1 });
    const topics = TOPICS.map((name, index) => ({ id: index + 1, key: topicKey(name), name, description: null, keywords: {} }));
    await insertTopics(tx, accountId, topics);
    await saveAccountState(tx, accountId, state);
  });
}

/** Runs a schedule on an account of its own. Returns what differs from the model. */
async function runTopicSchedule({ name, steps, ended }: Schedule<TopicWorld>, start: TopicWorld): Promise<string[]> {
  const account = await createTextAccount(database);
  const { accountId } = account;
  await arrangePeople(database, accountId);
  await createTopics(accountId);
  await account.state('question', [question(15)]);
  const categorise = async (isOn: boolean): Promise<void> => {
    await account.decide(SETTINGS);
    await db.query('update admin.settings set categorisation = $2 where account_id = $1', [accountId, isOn]);
  };
  await categorise(true);
  await account.state('response', [factOf(start.text, 0)]);
  await backfillStages(pool, [stage], accountId);
  const context = { pool, wake: () => undefined };
  const work =
    (changed: Partial<typeof stage> = {}) =>
    () =>
      processBatch(pool, { ...stage, ...changed }, { account_id: accountId, answers: [0] }, log);
  if (start.topics.length > 0) {
    await work()();
    await db.query("insert into text.pending (account_id, stage, answer) values ($1, 'categorise', 0)", [accountId]);
  }
  await db.query('update text.pending set attempts = $2 where account_id = $1', [accountId, start.attempts]);
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    categorise: work(),
    again: work(),
    giveup: work({ perform: () => Promise.reject(new Error('cannot be categorised')) }),
    correct: () => account.state('response', [factOf(CORRECTED, 1)]),
    clear: () => account.state('response', [factOf(null, 1)]),
    merge: async () => {
      const [into, topic] = TOPICS;
      await mergeTopics(context)({ topic, into }, contextOf(accountId));
      await failpoint('topics.merged');
      await backfillStages(pool, [stage], accountId);
    },
    off: async () => {
      await categorise(false);
      await failpoint('settings.changed');
      await backfillStages(pool, [stage], accountId);
    },
    decide: () =>
      inAccount(pool, accountId, async (tx) => {
        await lockAccountState(tx, accountId);
        await moveAnswers(tx, accountId, [0], SECOND, FIRST);
      }),
    retry: async () => retryText(context)({ stage: 'categorise' }, contextOf(accountId)),
    erase: () => erase(database, accountId),
    delete: () => deleteAccount(database, accountId),
  };
  try {
    await runSteps(steps, calls);
    const { text, topics, decision, attempts, givenUp, planned } = ended;
    const expected = { text, topics, isDecided: decision === 'made', attempts, givenUp: givenUp !== null, planned };
    const found = await readWorld(accountId);
    return isDeepStrictEqual(found, expected) ? [] : [`${name}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`];
  } catch (error) {
    return [`${name}: ${String(error)}`];
  }
}

interface FoundWorld extends Pick<TopicWorld, 'text' | 'topics' | 'attempts' | 'planned'> {
  readonly isDecided: boolean;
  readonly givenUp: boolean;
}

async function readWorld(accountId: number): Promise<FoundWorld | undefined> {
  const { rows } = await db.query<Omit<FoundWorld, 'planned'> & { version: string | null }>(
    `select a.content as text, p.attempts, b.version,
       array(select t.name from text.topic_assignment s join text.topic t on t.account_id = s.account_id and t.id = s.topic_id
         where s.account_id = x.account_id and s.origin = 'auto' order by t.id) as topics,
       exists (select from text.topic_assignment s where s.account_id = x.account_id and s.origin = 'admin'
         and s.topic_id = $2 and s.removed_at is null) as "isDecided",
       exists (select from text.given_up g where g.account_id = x.account_id) as "givenUp"
     from admin.account x left join text.answer a on a.account_id = x.account_id
     left join text.pending p on p.account_id = a.account_id and p.answer = a.id and p.stage = 'categorise'
     left join text.backfill b on b.account_id = x.account_id and b.stage = 'categorise'
     where x.account_id = $1::bigint`,
    [accountId, FIRST],
  );
  if (rows[0] === undefined) return undefined;
  const { version, ...found } = rows[0];
  return { ...found, planned: version === null ? null : Number(version.split(' ')[0]) };
}

it.each(CASES)('ends as the model predicts, whatever the order of the steps of $name', async (one) => {
  const wrong: string[] = [];
  for (const schedule of selected(explore(one))) wrong.push(...(await runTopicSchedule(schedule, one.world)));
  expect(wrong).toEqual([]);
});

// A line of a statement, and what takes its place.
const ABLATIONS: readonly (readonly [keyof TopicMechanisms, violation: string, line: string, replacement: string])[] = [
  ['topicsOfText', 'a text has the topics of another', 'and content_version = f.content_version', ''],
  ['givenUpText', 'a new text is given up', 'and content_version = g.content_version', ''],
  ['decisions', 'a decision is undone', "and origin = 'auto'\n  and (answer", 'and (answer'],
  ['closedAccount', 'a deleted account has rows', 'where admin.account_exists($1::bigint)', ''],
];

it.each(ABLATIONS)('goes wrong on PostgreSQL as in the model without %s', async (mechanism, violation, line, replacement) => {
  const ablated = { ...ALL, [mechanism]: false };
  expect(violationsOf(ablated)).toContain(violation);
  const harmful = topicCases(ablated).flatMap((one) =>
    explore(one).flatMap((schedule) => (schedule.violations.includes(violation) ? [{ one, schedule }] : [])),
  );
  const replaced = await withReplacedLine(line, replacement, async () => {
    for (const { one, schedule } of harmful) expect(await runTopicSchedule(schedule, one.world)).toEqual([]);
  });
  expect(replaced).toBeGreaterThan(0);
});
