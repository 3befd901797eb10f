import { expect, it } from 'vitest';
import { added, microF1 } from './micro-f1.ts';

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const hit = { right: 1, chosen: 1, present: 1 };
const miss = { right: 0, chosen: 0, present: 1 };

it('returns F1 over all labels with an interval that contains it', () => {
  expect(microF1(times(50, hit))).toBe('100.0 (100.0 to 100.0)');
  const [, f1, low, high] = /^([\d.]+) \(([\d.]+) to ([\d.]+)\)$/.exec(microF1([...times(60, hit), ...times(40, miss)])) ?? [];
  expect(Number(f1)).toBe(75);
  expect(Number(low)).toBeGreaterThan(60);
  expect(Number(low)).toBeLessThan(70);
  expect(Number(high)).toBeGreaterThan(80);
});

it('adds the outcomes of each text', () => {
  expect(
    added([
      [hit, miss],
      [hit, hit],
    ]),
  ).toEqual([
    { right: 2, chosen: 2, present: 2 },
    { right: 1, chosen: 1, present: 2 },
  ]);
});
