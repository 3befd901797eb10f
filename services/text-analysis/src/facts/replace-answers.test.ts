import { createHash, createSecretKey, generateKeySync } from 'node:crypto';
import { expect, test } from 'vitest';
import { sortKeyOf } from './replace-answers.ts';

const key = createSecretKey(createHash('sha256').update('a key').digest());
const ID = '63f99b78-2a10-4f86-9a27-8d333c00d0bc';

test('returns a stable key per answer that differs between accounts [TEXTS-ORDER-1]', () => {
  expect(sortKeyOf(key, ID, 15)).toBe(4_775_092_851_809_810_157n);
  const places = new Set(Array.from({ length: 1_000 }, () => sortKeyOf(generateKeySync('hmac', { length: 256 }), ID, 15)));
  expect(places.size).toBe(1_000);
});

test('spreads the answers of one submission like any others [TEXTS-ORDER-1]', () => {
  const distances = Array.from({ length: 2_000 }, (_, n) => Number(sortKeyOf(key, ID, n) - sortKeyOf(key, ID, n + 1)) / 2 ** 64);
  const mean = distances.reduce((sum, distance) => sum + Math.abs(distance), 0) / distances.length;
  // Mean distance of two random numbers between 0 and 1.
  expect(mean).toBeGreaterThan(0.3);
  expect(mean).toBeLessThan(0.37);
});
