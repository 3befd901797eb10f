import { expect, it } from 'vitest';
import { uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { openTextFixture, textResponse } from '../support/text-fixture.ts';
import { decision, textOperatorAt, topicFact, topicsOf } from '../support/topics.ts';

const files = await shareStack();
const { fixture, state } = await openTextFixture(files);
const asOperator = textOperatorAt(files.stack);

// Answers times topics of one training.
const MAX_JUDGEMENTS = 250_000;

it('learns topics from the latest answers when there are more decisions than a training has time for', async () => {
  const account = await fixture();
  const topics = Array.from({ length: 230 }, (_, index) => `Topic ${index}`);
  const answers = Array.from({ length: 1_200 }, (_, index) => index + 1);
  await state(account, 'topic', ...topics.map((name) => topicFact(name)));
  await state(account, 'response', ...answers.map((n) => textResponse({ n, person: 1, texts: { 15: `Text ${n}` } })));
  await state(account, 'topic_assignment', ...answers.map((n) => decision(uuidOf(n), topics[n % 230] ?? '')));
  const stored = (await topicsOf(asOperator, account.accountId)).size;
  const examples = async () => (await asOperator(account.accountId).listTopicModels({})).models.map((model) => model.examples);
  await expect.poll(examples).toContain(Math.floor(MAX_JUDGEMENTS / stored));
});
