import { describe, expect, test } from 'vitest';
import { countedIds, FIRST_NAMED_ID, namedIds } from './dictionary-ids.ts';
import { Dictionary } from './dictionary.ts';

const NEXT = { attributeId: 3, optionId: 7 };
const nobody = (): boolean => false;
const dept = (value: string) => ({ key: 'dept', name: 'Dept', value });

test("countedIds continues from the account's next ids", () => {
  const dictionary = new Dictionary([], countedIds(NEXT));
  expect(dictionary.optionId(dept('Sales'))).toBe(7);
  dictionary.use([dictionary.optionId(dept('IT'), 0)]);
  expect(dictionary.takeAdditions()).toMatchObject({
    attributes: [{ id: 3, name: 'Dept', key: 'dept' }],
    options: [{ id: 8, attributeId: 3, name: 'IT' }],
  });
  expect(dictionary.next).toEqual({ attributeId: 4, optionId: 9 });
});

test('countedIds knows what it has counted, and no candidates', () => {
  const ids = countedIds(NEXT);
  expect([ids.attribute('a', nobody), ids.attribute('b', nobody)]).toEqual([3, 4]);
  expect([2, 3, 4, 5].map((id) => ids.isCounted(id))).toEqual([false, true, true, false]);
  expect(ids.candidates('a', 'x')).toEqual({ attributes: [], options: [] });
});

describe('namedIds', () => {
  const idsOf = (...values: string[]): number[] => {
    const dictionary = new Dictionary([], namedIds(NEXT));
    return values.map((value) => dictionary.optionId(dept(value)));
  };

  test('returns the same ids in any order', () => {
    const [sales, it] = idsOf('Sales', 'IT');
    expect(idsOf('IT', 'Sales')).toEqual([it, sales]);
    expect(sales).not.toBe(it);
  });

  test('returns unique 32-bit ids above the counted ones', () => {
    const values = Array.from({ length: 70_000 }, (_, n) => `V${n}`);
    const ids = idsOf(...values);
    expect(Math.min(...ids.slice(0, 10_000))).toBeGreaterThanOrEqual(FIRST_NAMED_ID);
    expect(Math.max(...ids.slice(0, 10_000))).toBeLessThan(2 ** 31);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("keeps the account's next ids unchanged", () => {
    expect(new Dictionary([], namedIds(NEXT)).next).toEqual(NEXT);
  });

  // Installations have stored them.
  test('returns the ids that earlier releases returned', () => {
    const ids = namedIds(NEXT);
    expect(ids.attribute('dept', nobody)).toBe(1_701_676_256);
    expect(ids.option('dept', 'IT', nobody)).toBe(1_235_441_562);
  });

  test('takes the next free id, of which eight are candidates', () => {
    const ids = namedIds(NEXT);
    const first = ids.attribute('dept', nobody);
    expect(ids.attribute('dept', (id) => id < first + 3)).toBe(first + 3);
    const { attributes, options } = ids.candidates('dept', 'IT');
    expect(attributes).toEqual(Array.from({ length: 8 }, (_, nth) => first + nth));
    expect(options[0]).toBe(ids.option('dept', 'IT', nobody));
    expect(ids.candidates('dept', null).options).toEqual([]);
  });

  test('continues with the first id after the last one', () => {
    const ids = namedIds(NEXT);
    const keys = Array.from({ length: 10_000 }, (_, n) => `k${n}`);
    const highest = keys.reduce((one, other) => (ids.attribute(one, nobody) > ids.attribute(other, nobody) ? one : other));
    expect(ids.attribute(highest, (id) => id !== FIRST_NAMED_ID)).toBe(FIRST_NAMED_ID);
  });

  test('has counted no id', () => {
    expect(namedIds(NEXT).isCounted(NEXT.attributeId)).toBe(false);
  });
});
