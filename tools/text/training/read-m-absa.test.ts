import { expect, test } from 'vitest';
import { parseMAbsa } from './read-m-absa.ts';

const labelsOf = (file: string) => parseMAbsa(file).flatMap(({ pairs }) => pairs.map(({ target, label }) => [target, label]));

test('reads both spellings of a label, in any case and with spaces', () => {
  const file = "A####[['NULL', 'x', 'positive'], ['NULL', 'y', 'NEU']]\nB####[['NULL', 'x', 'Neg ']]\n";

  expect(labelsOf(file).map(([, label]) => label)).toEqual(['positive', 'neutral', 'negative']);
});

test('reads targets that contain an apostrophe or are in double quotes', () => {
  const target = { start: 3, end: 8 };
  expect(labelsOf("Le d'abc####[['d'abc', 'x y', 'neutral']]")).toEqual([[target, 'neutral']]);
  expect(labelsOf("Le d'abc####[[\"d'abc\", 'x y', 'neutral']]")).toEqual([[target, 'neutral']]);
});

test('throws when a label is unknown', () => {
  expect(() => parseMAbsa("A####[['NULL', 'x', 'mixed']]")).toThrow('cannot read M-ABSA: unknown label mixed');
});
