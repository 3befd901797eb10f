import { expect, it } from 'vitest';
import { judge, type Freshness, type Read, type Write } from './judge.ts';

const NOW: Freshness = { afterWriteMs: 0, afterReadMs: 0 };
const LATE: Freshness = { afterWriteMs: 2_000, afterReadMs: 2_000 };
const ALONE: Freshness = { afterWriteMs: 2_000 };

const write = (version: number, beganAt: number, endedAt?: number): Write => ({
  register: 'r',
  version,
  beganAt,
  ...(endedAt !== undefined && { endedAt }),
});
const read = (version: number, sentAt: number, receivedAt: number, more: Partial<Read> = {}): Read => ({
  register: 'r',
  reader: 'a',
  version,
  sentAt,
  receivedAt,
  freshness: NOW,
  ...more,
});
const count = (writes: readonly Write[], ...reads: readonly Read[]): number => judge({ writes, reads }).length;

it('accepts either version while a write is running', () => {
  expect(count([write(1, 0, 1), write(2, 10, 20)], read(1, 11, 13), read(2, 14, 16), read(2, 17, 30))).toBe(0);
});

it('accepts an older version of a request that was sent before a newer one was shown', () => {
  expect(count([write(1, 0, 1), write(2, 10)], read(2, 11, 15), read(1, 14, 20, { reader: 'b' }))).toBe(0);
});

it('finds a version that nobody has begun to write', () => {
  expect(count([write(1, 0, 1), write(2, 10, 20)], read(2, 5, 9))).toBe(1);
});

it('finds a version that is behind a complete write', () => {
  expect(count([write(1, 0, 1), write(2, 10, 20)], read(1, 21, 22))).toBe(1);
});

it('finds a reader that goes back, and one that is behind another', () => {
  expect(count([write(1, 0, 1), write(2, 10)], read(2, 11, 12), read(1, 13, 14))).toBe(1);
  expect(count([write(1, 0, 1), write(2, 10)], read(2, 11, 12), read(1, 13, 14, { reader: 'b' }))).toBe(1);
});

it('lets a replica be behind for as long as stated, and no longer', () => {
  const writes = [write(1, 0, 1), write(2, 10, 20)];
  expect(count(writes, read(2, 30, 40), read(1, 2_019, 2_020, { reader: 'b', freshness: LATE }))).toBe(0);
  expect(count(writes, read(1, 2_021, 2_022, { freshness: LATE }))).toBe(1);
  expect(count([write(1, 0, 1), write(2, 10)], read(2, 30, 40), read(1, 2_041, 2_042, { reader: 'b', freshness: LATE }))).toBe(1);
});

it('compares no readers that share nothing', () => {
  const writes = [write(1, 10)];
  expect(count(writes, read(1, 11, 12, { freshness: ALONE }), read(0, 13, 14, { freshness: ALONE }))).toBe(0);
  expect(count([write(1, 10, 20)], read(0, 2_021, 2_022, { freshness: ALONE }))).toBe(1);
});

it('reports what contradicts itself', () => {
  expect(count([write(1, 0, 1)], read(1, 2, 3, { contradiction: 'two versions' }))).toBe(1);
});
