import { expect, it } from 'vitest';
import { attackLeaver, coarse, exact, STARS } from './leaver-attack.ts';

const GUESS = Math.max(...STARS);
const percent = (share: number): number => Math.round(100 * share);

// docs/anonymity.md says so. The guard would coarsen scores if that took this gain below 5 points.
it.each([
  [6, 57, 54],
  [8, 48, 45],
  [12, 42, 41],
  [19, 40, 40],
])(
  'comparing two cycles of a group of %i, one of whom left, names %i percent of their answers, and %i percent of coarse scores',
  (size, named, fromCoarse) => {
    expect(GUESS).toBe(0.4);
    expect(percent(attackLeaver(size, exact).named)).toBe(named);
    expect(percent(attackLeaver(size, coarse).named)).toBe(fromCoarse);
    expect(attackLeaver(size, coarse).error).toBeGreaterThan(1);
  },
);

it('names none better than a guess where the scores say nothing', () => {
  expect(percent(attackLeaver(6, () => 0).named)).toBe(percent(GUESS));
});
