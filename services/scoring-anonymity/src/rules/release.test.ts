import { describe, expect, it } from 'vitest';
import { releaseScore, releasesText } from './release.ts';

const HALF = { sum: 1, denominator: 2, count: 1 };
const release = (respondents: number, ...scoreThresholds: (number | null)[]) =>
  releaseScore({ respondents, scoreThresholds, tallies: [HALF] });
const WITHHELD = { score: null, suppressed: true, suppression_reason: 'below_anonymity_threshold' };

describe('releaseScore', () => {
  it('withholds below the threshold, and only below [SCORES-THRESHOLD-1]', () => {
    expect(release(4, 5)).toEqual(WITHHELD);
    expect(release(5, 5)).toEqual({ score: 50, suppressed: false, suppression_reason: null });
  });

  it('goes by the strictest of the surveys asked for [SCORES-THRESHOLD-2]', () => {
    expect(release(9, 5, 10, 3)).toEqual(WITHHELD);
    expect(release(10, 5, 10, 3)).toMatchObject({ suppressed: false });
  });

  it.each([
    [null, 5],
    [0, 5],
    [-1, 5],
    [1, 3],
    [2, 3],
    [3, 3],
    [4, 4],
    [1_000_000, 1_000_000],
  ])('a survey that configures %s needs %d people [SCORES-THRESHOLD-3]', (configured, needed) => {
    expect(release(needed - 1, configured).suppressed).toBe(true);
    expect(release(needed, configured).suppressed).toBe(false);
    expect(releasesText({ textThreshold: configured, people: needed - 1 })).toBe(false);
    expect(releasesText({ textThreshold: configured, people: needed })).toBe(true);
  });

  it('withholds when there is no survey, and when the count is no number', () => {
    expect(release(2)).toEqual(WITHHELD);
    expect(release(Number.NaN, 5)).toEqual(WITHHELD);
  });
});

it('releasesText releases nothing of a survey that is not known', () => {
  expect(releasesText({ textThreshold: undefined, people: 1_000 })).toBe(false);
});
