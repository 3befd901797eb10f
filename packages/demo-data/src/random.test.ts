import { expect, test } from 'vitest';
import { Random } from './random.ts';

test('returns the same numbers for the same key, and others for a similar key', () => {
  const first = (...key: (number | string)[]) => new Random(...key).word();
  expect(first(7, 'a', 1)).toBe(first(7, 'a', 1));
  expect(new Set(Array.from({ length: 10_000 }, (_, index) => first(7, 'a', index))).size).toBeGreaterThan(9_990);
});

test('distributes numbers evenly, including the first ones of adjacent keys', () => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let key = 0; key < 20_000; key += 1) {
    const tenth = new Random(1, 'x', key).int(0, 9);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  for (const count of tenths) expect(Math.abs(count - 2_000)).toBeLessThan(200);
});

test('returns normal numbers around 0, two thirds of them within 1', () => {
  const random = new Random('normal');
  const numbers = Array.from({ length: 10_000 }, () => random.normal());
  expect(Math.abs(numbers.reduce((sum, number) => sum + number, 0) / 10_000)).toBeLessThan(0.05);
  expect(Math.abs(numbers.filter((number) => Math.abs(number) < 1).length / 10_000 - 0.683)).toBeLessThan(0.03);
});

test('returns UUIDs that look random', () => {
  const random = new Random('uuid');
  for (let count = 0; count < 100; count += 1)
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('keeps all elements when it shuffles', () => {
  expect(new Set(new Random('shuffle').shuffled([1, 2, 3, 4, 5]))).toEqual(new Set([1, 2, 3, 4, 5]));
});
