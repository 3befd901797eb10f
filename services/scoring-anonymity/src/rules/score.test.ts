import { expect, it } from 'vitest';
import { scoreOf } from './score.ts';

const tally = (sum: number, denominator: number, count: number) => ({ sum, denominator, count });

it('is the mean of the per-question means, regardless of their counts [SCORES-VALUE-3]', () => {
  expect(scoreOf([tally(1, 1, 4), tally(1, 1, 2)])).toBe(37.5);
  expect(scoreOf([tally(1, 1, 1), tally(0, 1, 1_000_000)])).toBe(50);
});

it('ignores questions without answers', () => {
  expect(scoreOf([tally(3, 4, 1), tally(0, 4, 0)])).toBe(75);
  expect(() => scoreOf([tally(0, 4, 0)])).toThrow('no answers');
});

it.each([
  ['SCORES-VALUE-4', [tally(1, 1, 3)], 33.33],
  ['SCORES-RESPONDENTS-1', [tally(20, 4, 9)], 55.56],
  ['a half, up', [tally(497, 800, 1)], 62.13],
  ['a half, down', [tally(-497, 800, 1)], -62.13],
  ['just below a half', [tally(62_124_999, 100_000_000, 1)], 62.12],
  // The binary number 1.005 is below the half.
  ['what binary numbers cannot hold', [tally(201, 20_000, 1)], 1.01],
  ['means that only together are a half', [tally(1, 3, 1), tally(1, 6, 1), tally(3, 400, 1)], 16.92],
  ['no negative nought', [tally(-1, 100_000, 1)], 0],
  ['the ends', [tally(-7, 1, 7)], -100],
])('rounds to two decimals: %s', (_, tallies, score) => {
  expect(Object.is(scoreOf(tallies), score)).toBe(true);
});

it('stays exact over many questions', () => {
  const thirds = Array.from({ length: 3_000 }, () => tally(1, 1, 3));
  expect(scoreOf(thirds)).toBe(33.33);
  const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29].flatMap((n) => [tally(1, 1, n), tally(n - 1, 1, n)]);
  expect(scoreOf(primes)).toBe(50);
});
