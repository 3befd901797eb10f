import { expect, it } from 'vitest';
import { countedIds } from './dictionary-ids.ts';
import { Dictionary } from './dictionary.ts';

const ATTRIBUTES = 40_000;

it('merges the options of one employee in one pass when a record lists 40,000 attributes', () => {
  const dictionary = new Dictionary([], countedIds({ attributeId: 1, optionId: 1 }));
  const names = Array.from({ length: ATTRIBUTES }, (_, nth) => `a${nth}`);
  const current = names.map((name) => dictionary.optionId({ key: name, name, value: 'before' }));
  const listed = names.map((name) => dictionary.attributeId(name) ?? 0);
  const set = names.map((name) => dictionary.optionId({ key: name, name, value: 'after' }));
  const begun = process.cpuUsage();
  expect(dictionary.merge(current, listed, set)).toEqual(set);
  expect(dictionary.optionsOf(current, listed)).toEqual(current);
  // Comparing every option with every attribute takes many seconds.
  expect(process.cpuUsage(begun).user / 1_000_000).toBeLessThan(4);
});
