import { expect, it } from 'vitest';
import { exampleOf } from './example.ts';
import { fitSentiment } from './fit-sentiment.ts';
import { quantise } from './quantise.ts';
import { readHrSentences, readOpinionWords } from './read-hr-sentences.ts';

const LANGUAGES = ['de', 'en', 'es', 'fr', 'nl'];

it('is byte-identical for the same examples', () => {
  const pairs = readHrSentences('nl').flatMap((line) => line.pairs);
  const examples = pairs.flatMap(({ label, ...pair }) => (label === 'conflict' ? [] : [exampleOf({ ...pair, label }, 'nl', 1)]));
  const [one, other] = [quantise(fitSentiment(examples)), quantise(fitSentiment(examples))];
  expect(Buffer.from(one.weights).equals(Buffer.from(other.weights))).toBe(true);
  expect({ step: one.step, bias: one.bias }).toEqual({ step: other.step, bias: other.bias });
  expect(one.weights.some((weight) => weight !== 0)).toBe(true);
});

it.each(LANGUAGES)('has sentences in %s with each of the three labels, and mixed ones', (language) => {
  const lines = readHrSentences(language);
  const labels = new Set(lines.flatMap(({ pairs }) => pairs.map(({ label }) => label)));
  expect(labels).toEqual(new Set(['positive', 'negative', 'neutral']));
  expect(lines.length).toBeGreaterThan(300);
  expect(lines.filter(({ pairs }) => pairs.length > 1).length).toBeGreaterThan(10);
  expect(readOpinionWords(language).length).toBeGreaterThan(200);
});
