import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TopicView } from '../categoriser.ts';
import { createEmbeddedCategoriser } from '../embedded-categoriser.ts';
import { createLearnedCategoriser } from '../account-categorisers.ts';
import { type TopicExample, trainTopics } from './train-topics.ts';

const PAY: TopicView = { topicId: 11, name: 'Pay', keywords: new Map([['en', ['salary', 'bonus']]]) };
const FOOD: TopicView = {
  topicId: 12,
  name: 'Canteen',
  keywords: new Map([['en', ['canteen', 'lunch']]]),
};
const TOPICS = [PAY, FOOD];

// These admins assign the vending machine to the canteen, and do not assign `salary survey` to pay.
const CORRECTIONS: readonly TopicExample[] = [
  ['The vending machine is empty', [12]],
  ['Somebody should fill the vending machine', [12]],
  ['I like the vending machine on the second floor', [12]],
  ['The machine with the sweets and drinks', [12]],
  ['Drinks from the machine are cold', [12]],
  ['The salary survey was long', []],
  ['I did not fill in the salary survey', []],
  ['The salary survey takes an hour', []],
  ['My salary is low', [11]],
  ['A bonus would be nice', [11]],
  ['Lunch is expensive', [12]],
  ['The canteen is noisy', [12]],
  ['My desk is by the window', []],
  ['I take the train', []],
  ['We had a meeting on Monday', []],
  ['The office moved last year', []],
].flatMap(([text, present]) =>
  ['', ' and that is it', ' as everybody knows'].map((tail) => ({
    text: `${String(text)}${tail}`,
    language: 'en',
    present: Array.isArray(present) ? present : [],
    absent: [11, 12].filter((topicId) => !(Array.isArray(present) && present.includes(topicId))),
  })),
);

const { model, report } = trainTopics(TOPICS, CORRECTIONS);
const learned = createLearnedCategoriser(model, 'learned-1');
const find = async (text: string, topics: readonly TopicView[] = TOPICS) =>
  (await learned.assign({ text, language: 'en', topics })).map(({ topicId }) => topicId);

describe('a topic model', () => {
  it('adds and removes topics beyond the keywords', async () => {
    expect(await find('The vending machine is broken again')).toEqual([12]);
    expect(await find('Another salary survey')).toEqual([]);
  });

  it("keeps the keywords' topics without evidence against them", async () => {
    expect(await find('They cut my bonus')).toEqual([11]);
    expect(await find('The weather was fine')).toEqual([]);
  });

  it('finds a topic created after the training by its keywords', async () => {
    const parking = { topicId: 99, name: 'Parking', keywords: new Map() };
    expect(await find('No parking, and the vending machine is empty', [parking, FOOD])).toEqual([99, 12]);
  });

  it('improves only when it beats the keywords on held-out corrections', () => {
    expect(report.learnedF1).toBeGreaterThan(report.keywordsF1);
    expect(report.improves).toBe(true);
    expect(trainTopics(TOPICS, CORRECTIONS.slice(0, 10)).report.improves).toBe(false);
    const asKeywordsSay = CORRECTIONS.filter(({ text }) => /bonus|Lunch|canteen|My salary/u.test(text));
    expect(trainTopics(TOPICS, [...asKeywordsSay, ...asKeywordsSay]).report.improves).toBe(false);
  });

  it('is byte-identical when trained on the same corrections', () => {
    expect(trainTopics(TOPICS, CORRECTIONS)).toEqual({ model, report });
  });

  it('rejects bytes that are not a model', () => {
    expect(() => createLearnedCategoriser(model.subarray(0, -1), 'cut')).toThrow('length differs');
    expect(() => createLearnedCategoriser(new TextEncoder().encode('{"format":2}\n'), 'other')).toThrow('format');
  });
});

it('equals the keywords when there are no corrections', async () => {
  const blank = createLearnedCategoriser(trainTopics(TOPICS, []).model, 'blank');
  const embedded = createEmbeddedCategoriser();
  const words = fc.constantFrom('salary', 'bonus', 'lunch', 'canteen', 'the', 'pay', '.', 'not');
  await fc.assert(
    fc.asyncProperty(fc.array(words, { maxLength: 12 }), async (parts) => {
      const answer = { text: parts.join(' '), language: 'en', topics: TOPICS };
      const ids = (assigned: readonly { topicId: number }[]) => assigned.map(({ topicId }) => topicId);
      expect(ids(await blank.assign(answer))).toEqual(ids(await embedded.assign(answer)));
    }),
  );
});

it('finds the same topics in any order of the topics', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CORRECTIONS), async ({ text }) => {
      expect(new Set(await find(text, [FOOD, PAY]))).toEqual(new Set(await find(text)));
    }),
  );
});
