import { describe, expect, it } from 'vitest';
import { releaseScore, releasesText } from './release.ts';

const HALF = { sum: 1, denominator: 2, count: 1 };
const release = (respondents: number, ...scoreThresholds: (number | null)[]) =>
  releaseScore({ respondents, scoreThresholds, tallies: [HALF] });
const WITHHELD = { score: null, suppressed: true, suppression_reason: 'below_anonymity_threshold' };

describe('releaseScore', () => {
  it('withholds the score only when the respondents are below the threshold [SCORES-THRESHOLD-1]', () => {
    expect(release(4, 5)).toEqual(WITHHELD);
    expect(release(5, 5)).toEqual({ score: 50, suppressed: false, suppression_reason: null });
  });

  it('uses the strictest threshold of the requested surveys [SCORES-THRESHOLD-2]', () => {
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
  ])('when a survey configures %s, requires %d respondents [SCORES-THRESHOLD-3]', (configured, needed) => {
    expect(release(needed - 1, configured).suppressed).toBe(true);
    expect(release(needed, configured).suppressed).toBe(false);
    expect(releasesText({ textThreshold: configured, people: needed - 1 })).toBe(false);
    expect(releasesText({ textThreshold: configured, people: needed })).toBe(true);
  });

  it('withholds the score when there is no survey or the count is NaN', () => {
    expect(release(2)).toEqual(WITHHELD);
    expect(release(Number.NaN, 5)).toEqual(WITHHELD);
  });
});

it('releasesText withholds the texts of an unknown survey', () => {
  expect(releasesText({ textThreshold: undefined, people: 1_000 })).toBe(false);
});
