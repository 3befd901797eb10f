import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaleOf, type AnswerOption } from './scale.ts';

// An option's id is its position, counted from 1.
function options(values: readonly number[], { worst, best }: { worst?: number[]; best?: number[] } = {}): AnswerOption[] {
  return values.map((value, index) => ({
    id: index + 1,
    value,
    is_minimum: worst?.includes(value) ?? false,
    is_maximum: best?.includes(value) ?? false,
  }));
}

function worth(type: string, all: readonly AnswerOption[], ...chosen: number[]): number | undefined {
  const scale = scaleOf(type, all);
  const numerator = scale?.numeratorOf(chosen);
  return scale === undefined || numerator === undefined ? undefined : numerator / scale.denominator;
}

describe('scale of flagged options', () => {
  it('runs from the worst to the best option, whichever has the larger number [SCORES-VALUE-1]', () => {
    const stars = options([1, 2, 3, 4, 5], { worst: [1], best: [5] });
    expect([1, 2, 3, 4, 5].map((id) => worth('stars', stars, id))).toEqual([0, 0.25, 0.5, 0.75, 1]);
    const inverted = options([1, 2, 3, 4, 5], { worst: [5], best: [1] });
    expect([1, 2, 3, 4, 5].map((id) => worth('stars', inverted, id))).toEqual([1, 0.75, 0.5, 0.25, 0]);
  });

  it('interpolates by value, not by position [SCORES-VALUE-1]', () => {
    expect(worth('single_select', options([10, 20, 30], { worst: [10], best: [30] }), 2)).toBe(0.5);
    expect(worth('single_select', options([-1, 0.1, 10], { worst: [-1], best: [10] }), 2)).toBe(0.1);
  });

  it('clamps options beyond the flagged ones to their values', () => {
    const wider = options([0, 1, 5, 9], { worst: [1], best: [5] });
    expect([1, 2, 3, 4].map((id) => worth('stars', wider, id))).toEqual([0, 0, 1, 1]);
  });

  it('accepts several best and several worst options', () => {
    const several = options([1, 2, 3, 4, 5], { worst: [1, 2], best: [4, 5] });
    expect([1, 2, 3, 4, 5].map((id) => worth('stars', several, id))).toEqual([0, 0, 0.5, 1, 1]);
  });

  it('has no place for options that do not count, whatever their values and flags [SCORES-EDITS-2]', () => {
    const uncounted = options([0], { worst: [0] }).map((option) => ({ ...option, id: 9, counts: false }));
    const counted = options([1, 3, 5], { worst: [1], best: [5] });
    const all = [...uncounted, ...counted];
    expect([9, 1, 2, 3].map((id) => worth('stars', all, id))).toEqual([undefined, 0, 0.5, 1]);
    expect(worth('multiple_select', all, 9, 2)).toBe(0.5);
    expect(scaleOf('stars', [...uncounted, ...counted.slice(1)])).toBeUndefined();
  });

  it('is undefined when the flagged options coincide, are missing or overlap [SCORES-VALUE-5]', () => {
    for (const flagged of [{}, { worst: [1] }, { best: [3] }, { worst: [2], best: [2] }, { worst: [1, 3], best: [2] }]) {
      expect(scaleOf('stars', options([1, 2, 3], flagged))).toBeUndefined();
    }
    expect(scaleOf('stars', [])).toBeUndefined();
  });

  it('is defined for an unknown question type', () => {
    expect(worth('thumbs', options([0, 1], { worst: [0], best: [1] }), 2)).toBe(1);
  });
});

it('values an eNPS answer as 1 from 9, -1 up to 6 and 0 between, without flags [SCORES-VALUE-2]', () => {
  const nps = options([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(nps.map(({ id }) => worth('nps', nps, id))).toEqual([-1, -1, -1, -1, -1, -1, -1, 0, 0, 1, 1]);
});

describe('answer with several options', () => {
  const all = options([0, 1, 2, 3, 4], { worst: [0], best: [4] });

  it("has the mean of its options' values", () => {
    expect(worth('multiple_select', all, 1, 2)).toBe(0.125);
    expect(worth('ranked_select', all, 1, 2, 3)).toBe(0.25);
  });

  it('ignores options that the question does not have, and is no answer without any other', () => {
    expect(worth('multiple_select', all, 99)).toBeUndefined();
    expect(worth('multiple_select', all)).toBeUndefined();
    expect(worth('multiple_select', all, 2, 99)).toBe(0.25);
  });
});

it('uses exact integers for up to 17 options, and nine digits for any number', () => {
  const drawn = fc.record({
    values: fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 40 }),
    chosen: fc.uniqueArray(fc.nat(), { minLength: 1 }),
  });
  fc.assert(
    fc.property(drawn, ({ values, chosen }) => {
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const scale = scaleOf('multiple_select', options(values, { worst: [low], best: [high] }));
      const picked = [...new Set(chosen.map((n) => n % values.length))];
      const sum = picked.reduce((total, index) => total + (values[index] ?? 0) - low, 0);
      const numerator = scale?.numeratorOf(picked.map((index) => index + 1)) ?? Number.NaN;
      expect(Number.isSafeInteger(numerator)).toBe(true);
      expect(Math.abs(numerator / (scale?.denominator ?? 0) - sum / picked.length / (high - low))).toBeLessThan(1e-9);
      expect(scale?.denominator).toBeLessThanOrEqual(1e9);
    }),
  );
});

it('reads decimal numbers exactly as written', () => {
  const odd = options([0, 0.1, 0.3, 1e-7, 1e300], { worst: [0], best: [0.3] });
  expect(worth('stars', odd, 2)).toBe(1 / 3);
  expect(worth('stars', odd, 5)).toBe(1);
  expect(worth('stars', options([0.25, 1.5, 2.75], { worst: [0.25], best: [2.75] }), 2)).toBe(0.5);
  expect(scaleOf('stars', options([0, 0.123456789012, 1], { worst: [0], best: [1] }))?.denominator).toBe(1e9);
});
