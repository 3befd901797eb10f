import { expect, it } from 'vitest';
import { firstTexts } from './explain-keywords.ts';

it.each([
  { what: '20,000 texts', length: 100, texts: 20_000, maxMs: Infinity },
  { what: '4,000,000 characters, in whole batches', length: 100_000, texts: 50, maxMs: Infinity },
  { what: 'what is read in time', length: 100, texts: 50, maxMs: 0 },
])('keywords are counted in $what at most, of which 50 are read at a time', async ({ length, texts, maxMs }) => {
  const sizes = new Set<number>();
  const read = (ids: readonly number[]) => {
    sizes.add(ids.length);
    return Promise.resolve(ids.map(() => ({ text: 'x'.repeat(length) })));
  };
  let count = 0;
  for await (const { text } of firstTexts(new Uint32Array(30_000), read, maxMs)) count += text.length / length;
  expect(count).toBe(texts);
  expect([...sizes]).toEqual([50]);
});
