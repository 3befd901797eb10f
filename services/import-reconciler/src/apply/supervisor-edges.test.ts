import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { positionsOnCycles } from './supervisor-edges.ts';

const onCycles = (...above: number[]): number[] => positionsOnCycles(Int32Array.of(0, ...above)).sort((a, b) => a - b);

describe('positionsOnCycles', () => {
  test('returns nothing for a tree [IMPORT-SUPERVISORS-4]', () => expect(onCycles(0, 1, 1, 2)).toEqual([]));
  test('finds two employees who report to each other [IMPORT-SUPERVISORS-4]', () => expect(onCycles(2, 1)).toEqual([1, 2]));
  test('excludes employees who only lead into a cycle', () => expect(onCycles(2, 3, 2, 1)).toEqual([2, 3]));
  test('finds several cycles, and an employee who reports to themselves', () =>
    expect(onCycles(1, 3, 2, 5, 4)).toEqual([1, 2, 3, 4, 5]));

  test('finds the same positions as a walk from each position', () => {
    const chains = fc.integer({ min: 1, max: 12 }).chain((n) => fc.array(fc.nat(n), { minLength: n, maxLength: n }));
    fc.assert(
      fc.property(chains, (above) => {
        const returns = (start: number): boolean => {
          let at = above[start - 1] ?? 0;
          for (let steps = 0; steps < above.length && at !== start; steps++) at = above[at - 1] ?? 0;
          return at === start;
        };
        expect(onCycles(...above)).toEqual(above.map((_, at) => at + 1).filter(returns));
      }),
      { numRuns: 2_000 },
    );
  });
});
