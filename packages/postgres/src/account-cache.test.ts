import { expect, it } from 'vitest';
import { AccountCache } from './account-cache.ts';

const cacheOf = (maxSize: number) => new AccountCache<number[]>({ maxSize, sizeOf: ({ length }) => length });

it('evicts other values when an existing value grows', () => {
  const cache = cacheOf(10);
  const growing = [1, 2];
  cache.set(1, [1, 2, 3, 4]);
  cache.set(2, growing);
  growing.push(3, 4, 5, 6, 7);
  cache.set(2, growing);
  expect(cache.size).toBe(7);
  expect(cache.get(1)).toBeUndefined();
  expect(cache.get(2)).toBe(growing);
});

it('keeps no value that has grown beyond the maximum size', () => {
  const cache = cacheOf(3);
  const growing = [1];
  cache.set(1, growing);
  growing.push(2, 3, 4);
  cache.set(1, growing);
  expect(cache.get(1)).toBeUndefined();
  expect(cache.size).toBe(0);
});

it('evicts the least recently used value first', () => {
  const cache = cacheOf(2);
  for (const id of [1, 2]) cache.set(id, [id]);
  cache.get(1);
  cache.set(3, [3]);
  expect([1, 2, 3].map((id) => cache.get(id)?.[0])).toEqual([1, undefined, 3]);
});
