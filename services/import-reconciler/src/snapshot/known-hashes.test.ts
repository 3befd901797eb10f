import { describe, expect, test } from 'vitest';
import { createElementHasher, HASH_BYTES, LENGTH_LANE } from './content-hash.ts';
import { KnownHashes } from './known-hashes.ts';

const hasher = await createElementHasher('2026/de/1');

function hashOf(text: string): Buffer {
  const bytes = Buffer.from(`<${text}>`);
  hasher.hash(bytes, 1, bytes.length - 1);
  return hasher.toBytes();
}

describe('createElementHasher', () => {
  test('returns two different xxh64 of the given range, 16 bytes in total', async () => {
    expect(hashOf('{"a":1}')).toEqual(hashOf('{"a":1}'));
    expect(hashOf('{"a":1}')).not.toEqual(hashOf('{"a":2}'));
    expect(hashOf('x')).toHaveLength(HASH_BYTES);
    expect(hashOf('x').readBigUInt64LE(0)).not.toBe(hashOf('x').readBigUInt64LE(8));
  });

  test('returns other hashes with another salt', async () => {
    const next = await createElementHasher('2027/de/1');
    next.hash(Buffer.from('x'), 0, 1);
    expect(next.toBytes()).not.toEqual(hashOf('x'));
  });

  test('stores the length as the last number', () => {
    hashOf('twelve bytes');
    expect(hasher.lanes[LENGTH_LANE]).toBe(12);
  });

  test('returns a copy from toBytes', () => {
    const first = hashOf('a');
    const kept = Buffer.from(first);
    hashOf('b');
    expect(first).toEqual(kept);
  });
});

describe('KnownHashes', () => {
  test('finds each of 20,000 entries and nothing else', () => {
    const known = new KnownHashes(20_000);
    for (let ord = 0; ord < 20_000; ord += 1) known.add(ord, Buffer.concat([Buffer.alloc(5), hashOf(`E${ord}`)]), 5);
    const found = Array.from({ length: 20_000 }, (_, ord) => (hashOf(`E${ord}`), known.find(hasher.lanes)));
    expect(found).toEqual(Array.from({ length: 20_000 }, (_, ord) => ord));
    hashOf('other');
    expect(known.find(hasher.lanes)).toBe(-1);
    expect(known.size).toBe(20_000);
  });

  test.each([
    ['in the order they were added in', (ord: number) => ord],
    ['in the other order', (ord: number) => 99 - ord],
    ['here and there', (ord: number) => (ord * 37) % 100],
    ['again and again', () => 7],
  ])('finds entries %s', (_, nth) => {
    const known = new KnownHashes(100);
    for (let ord = 0; ord < 100; ord += 1) known.add(ord, hashOf(`E${ord}`));
    const wanted = Array.from({ length: 100 }, (_, at) => nth(at));
    expect(wanted.map((ord) => (hashOf(`E${ord}`), known.find(hasher.lanes)))).toEqual(wanted);
  });

  test('returns the length of the next element, and finds only that one as the next', () => {
    const known = new KnownHashes(3);
    expect(known.nextLength).toBe(0);
    for (const [ord, text] of ['a', 'bb', 'ccc'].entries()) known.add(ord, hashOf(text));
    expect(known.nextLength).toBe(1);
    hashOf('bb');
    expect([known.findNext(hasher.lanes), known.find(hasher.lanes)]).toEqual([-1, 1]);
    expect(known.nextLength).toBe(3);
    hashOf('ccc');
    expect([known.findNext(hasher.lanes), known.nextLength]).toEqual([2, 0]);
  });

  test('uses 25 MB for a million entries', () => {
    const before = process.memoryUsage().arrayBuffers;
    const known = new KnownHashes(1_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(26e6);
    hashOf('a');
    expect(known.find(hasher.lanes)).toBe(-1);
    known.free();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
  });

  test('takes no more entries than announced, and finds none once it is freed', () => {
    const known = new KnownHashes(1);
    known.add(7, hashOf('a'));
    expect(() => known.add(8, hashOf('b'))).toThrow('the table is full');
    known.free();
    hashOf('a');
    expect([known.find(hasher.lanes), known.nextLength]).toEqual([-1, 0]);
  });
});
