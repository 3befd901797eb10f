import { describe, expect, test } from 'vitest';
import { countedIds, FIRST_NAMED_ID, namedIds } from './dictionary-ids.ts';
import { Dictionary } from './dictionary.ts';

const NEXT = { attributeId: 3, optionId: 7 };
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
});
