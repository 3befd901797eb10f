import { expect, it } from 'vitest';
import { countedIds, namedIds } from './dictionary-ids.ts';
import { Dictionary, type DictionaryRow } from './dictionary.ts';

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

const NEXT = { attributeId: 50, optionId: 60 };
const dept = (value: string) => ({ key: 'dept', name: 'Dept', value });
const row = (
  attribute_id: number,
  name_key: string,
  option?: readonly [id: number, name: string, is_unused?: boolean],
): DictionaryRow => ({
  attribute_id,
  name_key,
  option_id: option?.[0] ?? null,
  option_name: option?.[1] ?? null,
  is_unused: option?.[2] ?? null,
});
const ROWS = [row(1, 'dept', [7, 'IT']), row(1, 'dept', [8, 'Sales', true]), row(2, 'city')];

it('knows the names and values of a small account, and writes nothing for them', () => {
  const dictionary = new Dictionary(ROWS, countedIds(NEXT));
  expect(dictionary.unknownOf([dept('HR')], [99])).toBeUndefined();
  expect(dictionary.optionId(dept('IT'))).toBe(7);
  expect([dictionary.attributeId('dept'), dictionary.attributeId('city'), dictionary.attributeId('x')]).toEqual([
    1,
    2,
    undefined,
  ]);
  expect(dictionary.size).toBe(4);
  dictionary.use([7]);
  expect(dictionary.takeAdditions()).toEqual({ attributes: [], options: [], revived: [] });
});

it('says once that an unused value is used again', () => {
  const dictionary = new Dictionary(ROWS, countedIds(NEXT));
  for (const value of ['Sales', 'Sales', 'IT']) dictionary.optionId(dept(value));
  expect(dictionary.takeAdditions().revived).toEqual([8]);
  expect(dictionary.takeAdditions().revived).toEqual([]);
});

it('writes, once, what applied records use, spelled as the first of them', () => {
  const dictionary = new Dictionary(ROWS, countedIds(NEXT));
  dictionary.optionId({ key: 'team', name: 'TEAM', value: 'a' });
  const used = dictionary.optionId({ key: 'team', name: 'Team', value: 'b' }, 3);
  dictionary.optionId({ key: 'team', name: 'team', value: 'b' }, 4);
  dictionary.optionId({ key: 'team', name: 'team', value: 'b' }, 5);
  dictionary.optionId({ key: 'unused', name: 'Unused', value: 'c' }, 6);
  // Four names, five options and three spellings.
  expect(dictionary.size).toBe(12);
  dictionary.use([used, 7, 999]);
  expect(dictionary.takeAdditions()).toEqual({
    attributes: [{ id: 50, key: 'team', name: 'Team' }],
    options: [{ id: 61, attributeId: 50, name: 'b', isUsed: true }],
    revived: [],
  });
  expect(dictionary.takeSpellings()).toEqual([
    { attributeId: 50, index: 3, name: 'Team' },
    { attributeId: 50, index: 4, name: 'team' },
    { attributeId: 51, index: 6, name: 'Unused' },
  ]);
  expect(dictionary.takeSpellings()).toEqual([]);
  expect(dictionary.takeAdditions()).toMatchObject({ attributes: [], options: [] });
  // An attribute that existed keeps its spelling.
  dictionary.optionId(dept('HR'), 7);
  expect(dictionary.takeSpellings()).toEqual([]);
});

it('spells an attribute that no applied record names as its key', () => {
  const dictionary = new Dictionary([], countedIds(NEXT));
  dictionary.use([dictionary.optionId(dept('IT'))]);
  expect(dictionary.takeAdditions().attributes).toEqual([{ id: 50, key: 'dept', name: 'dept' }]);
});

it('asks for what a large account needs, and learns it', () => {
  const dictionary = new Dictionary(undefined, countedIds(NEXT));
  const [it_, none] = [
    { key: 'dept', value: 'IT' },
    { key: 'city', value: null },
  ];
  expect(dictionary.unknownOf([it_, it_, none], [7, 7])).toEqual({ names: [it_, none], optionIds: [7], attributeIds: [] });
  dictionary.learn({ rows: [row(1, 'dept', [7, 'IT'])] });
  expect(dictionary.unknownOf([it_, none], [7, 9])).toEqual({ names: [none], optionIds: [9], attributeIds: [] });
  dictionary.learn({ rows: [row(2, 'city')], options: [{ id: 9, attribute_id: 2 }] });
  expect(dictionary.unknownOf([it_, none], [7, 9])).toBeUndefined();
  expect(dictionary.unknownOf([{ key: 'dept', value: 'HR' }], [])).toMatchObject({ names: [{ key: 'dept', value: 'HR' }] });
  expect(dictionary.optionsOf([7, 9], [2])).toEqual([9]);
  dictionary.clear();
  expect(dictionary.size).toBe(0);
  expect(dictionary.unknownOf([it_], [7])).toMatchObject({ names: [it_], optionIds: [7] });
});

it('asks for the ids that a name could get, and takes none that is taken', () => {
  const dictionary = new Dictionary(undefined, namedIds(NEXT));
  const unknown = dictionary.unknownOf([{ key: 'dept', value: 'IT' }], [7]);
  const [attribute = 0] = unknown?.attributeIds ?? [];
  const [first, option = 0] = unknown?.optionIds ?? [];
  expect(first).toBe(7);
  dictionary.learn({ attributes: [{ id: attribute }], options: [{ id: option, attribute_id: 1 }] });
  expect(dictionary.optionId(dept('IT'))).toBe(option + 1);
  expect(dictionary.attributeId('dept')).toBe(attribute + 1);
  dictionary.optionId(dept('IT'), 1);
  expect(dictionary.takeSpellings()).toEqual([]);
});

it('merges by attribute, each option once', () => {
  const dictionary = new Dictionary([...ROWS, row(2, 'city', [3, 'Rome']), row(2, 'city', [4, 'Oslo'])], countedIds(NEXT));
  expect(dictionary.merge([3, 7], [1], [8, 8])).toEqual([8, 3]);
  expect(dictionary.merge([7], [], [4, 3, 7])).toEqual([7, 3, 4]);
});

it('gives no two attributes the same id', () => {
  const ids = {
    ...namedIds(NEXT),
    attribute: (_: string, isTaken: (id: number) => boolean) => [5, 6, 7].find((id) => !isTaken(id)) ?? 0,
  };
  const dictionary = new Dictionary([row(5, 'known')], ids);
  for (const key of ['dept', 'city']) dictionary.optionId({ key, name: key, value: 'x' });
  expect([dictionary.attributeId('dept'), dictionary.attributeId('city')]).toEqual([6, 7]);
});

it('writes an attribute once, whenever it gets further values', () => {
  const dictionary = new Dictionary([], countedIds(NEXT));
  for (const [value, attributes] of [
    ['IT', [{ id: 50, key: 'dept', name: 'dept' }]],
    ['HR', []],
  ] as const) {
    dictionary.use([dictionary.optionId(dept(value))]);
    expect(dictionary.takeAdditions()).toMatchObject({ attributes, options: [{ name: value }] });
  }
});
