import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { arrangeEmployee } from '../support/employees.ts';
import { uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { openTextFixture, textResponse } from '../support/text-fixture.ts';
import { decision, textOperatorAt, topicFact, topicsOf } from '../support/topics.ts';

const files = await shareStack();
const { db, stack } = files;
const { fixture, state, read, settings } = await openTextFixture(files);
const asOperator = textOperatorAt(stack);

const ON = { categorisation: true };
const PAY = 'I love the salary here, it is excellent.';
const CANTEEN = 'The canteen is terrible, I hate the food.';
const BOTH = 'The salary is excellent. The canteen is terrible.';

/** Creates an account with the topics Pay and Food, and a response for each of these texts. */
async function accountWith(...written: readonly string[]): Promise<Account> {
  const account = await fixture();
  const topic = (name: string, ...words: readonly string[]) =>
    asOperator(account.accountId).createTopic({ name, keywords: { en: { words: [...words] } } });
  await topic('Pay', 'salary');
  await topic('Food', 'canteen', 'food');
  await state(account, 'response', ...written.map((text, index) => textResponse({ n: index + 1, texts: { 15: text } })));
  return account;
}

/** Returns each text with its topics, as `name sentiment`. */
async function shown(account: Account): Promise<Record<string, string[]>> {
  const { responses } = await read(account);
  return Object.fromEntries(
    responses.map(({ text, topics }) => [text, topics.map(({ name, sentiment }) => `${name} ${sentiment}`).toSorted()]),
  );
}

/** Waits until no stage has pending work for the account. */
async function untilIdle({ accountId }: Account): Promise<void> {
  await expect
    .poll(async () => {
      const { stages } = await asOperator(accountId).showTextStatus({});
      return stages.map(({ is_backfilled, waiting, not_enqueued }) => (is_backfilled ? waiting + not_enqueued : 'planning'));
    })
    .toEqual([0, 0, 0]);
}

/** Returns every topic row of the account's answers, for comparison. */
async function rowsOf({ accountId }: Account): Promise<unknown[]> {
  const { rows } = await db.query(
    'select to_jsonb(x) as row from text.topic_assignment x where account_id = $1 order by answer, topic_id',
    [accountId],
  );
  return rows;
}

describe('topics and sentiment of answers', () => {
  it('come in the background: none, then a topic that is not scored, then its sentiment; another answer has none [TEXTS-TOPICS-1]', async () => {
    const other = 'Nothing to say about any of this.';
    const account = await accountWith(PAY, CANTEEN, other);
    expect(await shown(account)).toEqual({ [PAY]: [], [CANTEEN]: [], [other]: [] });
    await settings(account, ON);
    await expect.poll(() => shown(account)).toEqual({ [PAY]: ['Pay positive'], [CANTEEN]: ['Food negative'], [other]: [] });
    const late = textResponse({ n: 4, texts: { 15: BOTH } });
    await state(account, 'response', late);
    await expect.poll(() => shown(account)).toMatchObject({ [BOTH]: ['Food negative', 'Pay positive'] });
  });

  it('are those of the oldest topics, which have 100,000 names and keywords', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    const words = Array.from({ length: 1_000 }, (_, nth) => `wort${nth}`);
    await state(account, 'topic', ...Array.from({ length: 100 }, (_, nth) => topicFact(`T${nth}`, { de: words })));
    await asOperator(account.accountId).createTopic({ name: 'Late', keywords: { en: { words: ['excellent'] } } });
    await settings(account, ON);
    await expect.poll(() => shown(account)).toMatchObject({ [PAY]: ['Pay positive'], [CANTEEN]: ['Food negative'] });
  });

  it('scores a short text in the language of its respondent', async () => {
    const account = await accountWith(PAY, CANTEEN);
    const { accountId } = account;
    await asOperator(accountId).createTopic({ name: 'Team', keywords: { nl: { words: ['collega'] } } });
    await arrangeEmployee(db, accountId, { id: 3, email: 'three@x.io' });
    await db.query("update imports.employee set language = 'nl' where account_id = $1 and id = 3", [accountId]);
    await state(account, 'response', textResponse({ n: 3, texts: { 15: 'Leuke collega’s' } }));
    await settings(account, ON);
    await expect.poll(() => shown(account)).toMatchObject({ 'Leuke collega’s': ['Team positive'] });
  });

  it('a topic is shown before it is scored [TEXTS-TOPICS-1]', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    await settings(account, ON);
    await untilIdle(account);
    await db.query('update text.topic_assignment set sentiment = null, sentiment_version = null where account_id = $1', [
      account.accountId,
    ]);
    expect(await shown(account)).toEqual({ [PAY]: ['Pay null'], [CANTEEN]: ['Food null'], [BOTH]: ['Food null', 'Pay null'] });
    await asOperator(account.accountId).rebuildText({ stage: 'sentiment' });
    await expect.poll(() => shown(account)).toMatchObject({ [BOTH]: ['Food negative', 'Pay positive'] });
  });

  it('stay what an administrator decided, through every re-categorisation', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    await settings(account, ON);
    await untilIdle(account);
    await state(
      account,
      'topic_assignment',
      decision(uuidOf(1), 'Pay', { removed: true }),
      decision(uuidOf(2), 'Pay'),
      decision(uuidOf(3), 'Food', { sentiment: 'positive' }),
    );
    const decided = { [PAY]: [], [BOTH]: ['Food positive', 'Pay positive'] };
    await expect.poll(() => shown(account)).toMatchObject({ ...decided, [CANTEEN]: ['Food negative', 'Pay negative'] });
    await asOperator(account.accountId).setTopicKeywords({ topic: 'Pay', language: 'en', words: ['salary', 'love', 'hate'] });
    await untilIdle(account);
    await asOperator(account.accountId).rebuildText({ stage: 'categorise' });
    await untilIdle(account);
    expect(await shown(account)).toMatchObject({ ...decided, [CANTEEN]: ['Food negative', 'Pay negative'] });
  });

  it('a reassigned topic is not scored at first, then it is; the text stays [TEXTS-TOPICS-1]', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    await state(account, 'topic_assignment', decision(uuidOf(1), 'Food'));
    expect((await shown(account))[PAY]).toEqual(['Food null']);
    await settings(account, ON);
    await expect.poll(async () => (await shown(account))[PAY]).toEqual(['Food positive', 'Pay positive']);
  });

  it('show a new name at once, and no job runs for it [TEXTS-TOPICS-2]', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    await settings(account, ON);
    await untilIdle(account);
    const before = await rowsOf(account);
    await asOperator(account.accountId).renameTopic({ topic: 'pay', name: 'Money' });
    expect((await shown(account))[PAY]).toEqual(['Money positive']);
    await untilIdle(account);
    await asOperator(account.accountId).rebuildText({ stage: 'categorise' });
    await untilIdle(account);
    expect(await rowsOf(account)).toEqual(before);
  });

  it('follow keywords: only pairs that change lose their sentiment', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    await settings(account, ON);
    await untilIdle(account);
    const before = await rowsOf(account);
    await asOperator(account.accountId).setTopicKeywords({ topic: 'Food', language: 'en', words: ['canteen', 'love'] });
    await untilIdle(account);
    expect(await shown(account)).toMatchObject({ [PAY]: ['Food positive', 'Pay positive'], [CANTEEN]: ['Food negative'] });
    // Answer 2 has one keyword fewer and so another score; the other rows are unchanged.
    const after = await rowsOf(account);
    expect(after).toHaveLength(before.length + 1);
    await asOperator(account.accountId).setTopicKeywords({ topic: 'Food', language: 'en', words: ['canteen', 'food'] });
    await untilIdle(account);
    expect(await rowsOf(account)).toEqual(before);
  });

  it('are the same after a merge as if there had been one topic', async () => {
    const [merged, one] = [await accountWith(PAY, CANTEEN, BOTH), await fixture()];
    await settings(merged, ON);
    await untilIdle(merged);
    await asOperator(merged.accountId).mergeTopics({ topic: 'Food', into: 'Pay' });
    const words = ['salary', 'canteen', 'food'];
    await asOperator(one.accountId).createTopic({ name: 'Pay', keywords: { en: { words } } });
    await state(
      one,
      'response',
      ...[PAY, CANTEEN, BOTH].map((text, index) => textResponse({ n: index + 1, texts: { 15: text } })),
    );
    await settings(one, ON);
    await untilIdle(one);
    await untilIdle(merged);
    expect(await shown(merged)).toEqual(await shown(one));
    expect(Object.keys(await shown(merged))).toHaveLength(3);
  });

  it('end alike whichever stage comes first, and however often', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    await settings(account, ON);
    await untilIdle(account);
    const rows = await rowsOf(account);
    for (const stages of [
      ['sentiment', 'categorise'],
      ['categorise', 'sentiment'],
      ['categorise', 'categorise', 'sentiment', 'sentiment'],
    ]) {
      await db.query("delete from text.topic_assignment where account_id = $1 and origin = 'auto'", [account.accountId]);
      for (const stage of stages) await asOperator(account.accountId).rebuildText({ stage });
      await untilIdle(account);
      expect(await rowsOf(account)).toEqual(rows);
    }
  });

  it('go with a text that is corrected', async () => {
    const account = await accountWith(PAY, CANTEEN, BOTH);
    await settings(account, ON);
    await untilIdle(account);
    await state(account, 'topic_assignment', decision(uuidOf(1), 'Food'));
    await untilIdle(account);
    const corrected = 'The parking is terrible, I hate it.';
    await state(account, 'response', textResponse({ n: 1, texts: { 15: corrected }, revision: 1 }));
    await expect.poll(async () => (await shown(account))[corrected]).toEqual(['Food negative']);
  });
});

describe('an account without topics', () => {
  it('gets those of workplaces in its language when it turns categorisation on, once', async () => {
    const account = await fixture();
    await state(
      account,
      'response',
      ...[1, 2, 3].map((n) => textResponse({ n, texts: { 15: 'Mein Gehalt ist viel zu niedrig, das ärgert mich sehr.' } })),
    );
    await settings(account, ON);
    await untilIdle(account);
    const topics = await topicsOf(asOperator, account.accountId);
    expect(topics.size).toBeGreaterThanOrEqual(15);
    const { responses } = await read(account);
    expect(responses[0]?.topics).toEqual([{ name: expect.stringMatching(/^Vergütung/), sentiment: 'negative' }]);
    const names = [...topics.keys()];
    for (const name of names.slice(1)) await asOperator(account.accountId).mergeTopics({ topic: name, into: names[0] ?? '' });
    await settings(account, { categorisation: false });
    await settings(account, ON);
    await untilIdle(account);
    expect([...(await topicsOf(asOperator, account.accountId)).keys()]).toEqual(names.slice(0, 1));
  });

  it('gets them also before it has any text', async () => {
    const account = await fixture();
    await settings(account, ON);
    await expect.poll(async () => (await topicsOf(asOperator, account.accountId)).size).toBeGreaterThan(0);
  });
});
