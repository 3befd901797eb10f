import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { openTextFixture, textResponse } from '../support/text-fixture.ts';
import { surveyctlAt } from '../support/surveyctl.ts';
import { decision, textOperatorAt } from '../support/topics.ts';

const files = await shareStack();
const { db, stack } = files;
const { fixture, state, read, settings } = await openTextFixture(files);
const asOperator = textOperatorAt(stack);
const surveyctl = surveyctlAt(stack);

const NEW = 'My remuneration is disappointing compared with other employers.';

// No text contains a keyword: only the training data shows the topics.
const PAY = ['The remuneration is disappointing', 'Remuneration falls behind the market', 'They should look at our remuneration'];
const FOOD = ['Lunch leaves much to be desired', 'A warm lunch would be nice', 'Nobody eats lunch here any more'];

/**
 * Creates an account with the topics Pay and Food and 60 answers, each with an account admin's
 * decision.
 */
async function accountThatTeaches(): Promise<Account> {
  const account = await fixture();
  await asOperator(account.accountId).createTopic({ name: 'Pay', keywords: { en: { words: ['salary'] } } });
  await asOperator(account.accountId).createTopic({ name: 'Food', keywords: { en: { words: ['canteen'] } } });
  await settings(account, { categorisation: true });
  const sayings = Array.from({ length: 60 }, (_, index) => ({
    n: index + 1,
    text: `${(index % 2 === 0 ? PAY : FOOD)[index % 3] ?? ''} in team ${index}`,
    topic: index % 2 === 0 ? 'Pay' : 'Food',
  }));
  await state(account, 'response', ...sayings.map(({ n, text }) => textResponse({ n, texts: { 15: text } })));
  await state(account, 'topic_assignment', ...sayings.map(({ n, topic }) => decision(uuidOf(n), topic)));
  return account;
}

const modelsOf = async ({ accountId }: Account) => (await asOperator(accountId).listTopicModels({})).models;

/** Returns the topics of the answer NEW. */
async function topicsOfNew(account: Account): Promise<string[]> {
  const { responses } = await read(account);
  return responses.filter(({ text }) => text === NEW).flatMap(({ topics }) => topics.map(({ name }) => name));
}

describe('what administrators decide', () => {
  it('is learned when there is enough of it and it helps, and can be rolled back', async () => {
    const account = await accountThatTeaches();
    const { accountId } = account;
    await state(account, 'response', textResponse({ n: 100, texts: { 15: NEW } }));
    await expect.poll(() => modelsOf(account)).toMatchObject([{ version: 1, examples: 60, is_active: true }]);
    const [model] = await modelsOf(account);
    expect(model?.model_f1).toBeGreaterThan(model?.keywords_f1 ?? 1);
    await expect.poll(() => topicsOfNew(account)).toEqual(['Pay']);
    // Decisions of account admins are kept.
    const { rows } = await db.query(
      "select distinct origin from text.topic_assignment where account_id = $1 and origin = 'admin'",
      [accountId],
    );
    expect(rows).toEqual([{ origin: 'admin' }]);
    const rollBack = await surveyctl(['text', 'model', 'rollback', '--account', String(accountId), '--json']);
    expect(JSON.parse(rollBack.stdout)).toMatchObject({ active: null, models: [{ version: 1, is_active: false }] });
    await expect.poll(() => topicsOfNew(account)).toEqual([]);
    const list = await surveyctl(['text', 'model', 'list', '--account', String(accountId)]);
    expect(list.stdout).toMatch(
      /^VERSION +TRAINED +ANSWERS +F1 OF KEYWORDS +F1 LEARNED +ACTIVE\n1 +\S+ \S+ UTC +60 +0\.\d+ +\S+\n/,
    );
    await asOperator(accountId).rollBackTopicModel({ version: 1 });
    await expect.poll(() => topicsOfNew(account)).toEqual(['Pay']);
  });

  it('is not learned again without new decisions; a repeated fact is none; the last three are kept', async () => {
    const account = await accountThatTeaches();
    const again = (revision: number) =>
      state(
        account,
        'topic_assignment',
        ...Array.from({ length: 60 }, (_, index) => decision(uuidOf(index + 1), index % 2 === 0 ? 'Pay' : 'Food', {}, revision)),
      );
    const versions = async () => (await modelsOf(account)).map(({ version }) => version);
    await expect.poll(versions).toEqual([1]);
    await again(0);
    expect(await asOperator(account.accountId).listTopicModels({})).toMatchObject({ new_decisions: 0 });
    for (const revision of [1, 2, 3]) {
      await again(revision);
      await expect.poll(async () => (await versions())[0]).toBe(revision + 1);
    }
    expect(await versions()).toEqual([4, 3, 2]);
  });
});
