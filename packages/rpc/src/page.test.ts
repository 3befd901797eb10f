import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPageInChunks } from './page.ts';

// Up to three chunks; the last text is larger than a chunk.
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a'.repeat(200_000), 'é'.repeat(90_000), '漢'.repeat(80_000), '😀'.repeat(150_000)),
);

test('encodes texts of any length and script', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 8 }), async (texts) => {
      const { json, gzip } = await toPageInChunks(texts, false);
      expect(gzip).toBe(false);
      expect(Buffer.compare(json, Buffer.from(texts.join('')))).toBe(0);
    }),
  );
});

test('keeps concurrent pages apart', async () => {
  const pageOf = (letter: string) => toPageInChunks(Array<string>(20).fill(letter.repeat(50_000)), false);
  const pages = await Promise.all(['a', 'b', 'c'].map(pageOf));
  expect(pages.map(({ json }) => json.toString())).toEqual(['a', 'b', 'c'].map((letter) => letter.repeat(1_000_000)));
});
