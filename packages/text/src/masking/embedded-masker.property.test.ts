import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { embeddedMasker } from './embedded-masker.ts';
import { maskText } from './mask-text.ts';
import { PERSONAL_CATEGORIES, type Span } from './masker.ts';
import { Roster } from './roster.ts';

// Fragments that the recognisers match, between arbitrary text with unpaired surrogates.
const piece = fc.oneof(
  fc.constantFrom(
    'Anna',
    'anna',
    'Mr. ',
    'Frau ',
    'van der ',
    'Rose ',
    'Weber',
    ' and ',
    '@',
    'a@b.co',
    '+49 171 1234567',
    '12 Oak Street, ',
    'Hauptstraße 5 ',
    '80336 München',
    'DE89370400440532013000',
    '4556601938071755',
    'IBAN ',
    'id ',
    'employee number ',
    '\uD800',
    '\uDC00',
    '\u0301',
    '\n',
    "'",
    '-',
    '. ',
    ', ',
    '1',
    '7/10 ',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
// Sentences of plain characters, to spell in another way.
const written = fc
  .array(
    fc.constantFrom(
      'Thanks to Anna Oak for the help.',
      'My manager Xochitl Smith never listens.',
      'Write to anna.oak@example.com or call +49 171 1234567.',
      'IBAN DE89 3704 0044 0532 0130 00',
      'I live at 12 Oak Street, London.',
      'The canteen is closed in May.',
      'Frau Weber hilft immer',
      'I asked Emily Brown again.',
      'employee number 48213',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((sentences) => sentences.join(' '));
const languages = fc.constantFrom('en', 'de', 'fr', 'es', 'nl', 'pt', 'da', 'sv', 'it', 'pl', '');
const categories = fc.subarray([...PERSONAL_CATEGORIES]).map((some) => new Set(some));
const NO_ROSTER = new Roster([]);
const roster = new Roster([
  { firstname: 'Anna', lastname: 'Oak', email: 'anna@example.com' },
  { firstname: 'Rose', lastname: 'van der Weber', email: 'rose@example.com' },
]);

test('returns sorted spans without overlaps, within the text, and changes nothing outside them', async () => {
  await fc.assert(
    fc.asyncProperty(texts, languages, categories, async (text, language, asked) => {
      const spans = await embeddedMasker.find({ text, language, roster, categories: asked });

      let end = 0;
      for (const span of spans) {
        expect(span.start).toBeGreaterThanOrEqual(end);
        expect(span.end).toBeGreaterThan(span.start);
        expect(asked).toContain(span.category);
        end = span.end;
      }
      expect(end).toBeLessThanOrEqual(text.length);
      expect(outside(text, spans)).toEqual(outside(maskText(text, spans), moved(spans)));
    }),
    { numRuns: 400 },
  );
});

test('finds the same spans of a category with any other categories', async () => {
  await fc.assert(
    fc.asyncProperty(texts, languages, categories, async (text, language, asked) => {
      const all = await embeddedMasker.find({ text, language, roster, categories: new Set(PERSONAL_CATEGORIES) });
      const some = await embeddedMasker.find({ text, language, roster, categories: asked });

      expect(some).toEqual(all.filter(({ category }) => asked.has(category)));
    }),
    { numRuns: 400 },
  );
});

test('masks with a roster everything that it masks without one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, written), languages, async (text, language) => {
      const answer = { text, language, categories: new Set(PERSONAL_CATEGORIES) };
      const without = await embeddedMasker.find({ ...answer, roster: NO_ROSTER });
      const spans = await embeddedMasker.find({ ...answer, roster });

      for (const one of without) expect(spans.some(({ start, end }) => start <= one.start && one.end <= end)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test('finds nothing more in a masked text', async () => {
  await fc.assert(
    fc.asyncProperty(written, async (text) => {
      const mask = async (each: string) =>
        maskText(
          each,
          await embeddedMasker.find({ text: each, language: 'en', roster, categories: new Set(PERSONAL_CATEGORIES) }),
        );
      const once = await mask(text);

      expect(await mask(once)).toBe(once);
    }),
    { numRuns: 400 },
  );
});

function outside(text: string, spans: readonly Pick<Span, 'start' | 'end'>[]): string[] {
  const bounds = [0, ...spans.flatMap(({ start, end }) => [start, end]), text.length];
  return bounds.filter((_, at) => at % 2 === 0).map((from, at) => text.slice(from, bounds[2 * at + 1]));
}

const SPELLINGS: readonly (readonly [name: string, spell: (text: string) => string])[] = [
  ['no-break spaces', (text) => text.replaceAll(' ', '\u202f')],
  ['tabs for spaces', (text) => text.replaceAll(' ', '\t')],
  ['soft hyphens in words', (text) => text.replaceAll(/(?<=\p{L})(?=\p{L})/gu, '\u00ad')],
  ['zero-width spaces between digits', (text) => text.replaceAll(/(?<=\d)(?=\d)/gu, '\u200b')],
  ['full-width letters', (text) => text.replaceAll(/[a-zA-Z@]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + 0xfee0))],
];

test.each(SPELLINGS)('masks the same in a text with %s', async (_, spell) => {
  await fc.assert(
    fc.asyncProperty(written, languages, async (text, language) => {
      const find = (each: string) =>
        embeddedMasker.find({ text: each, language, roster, categories: new Set(PERSONAL_CATEGORIES) });
      const [plain, spelled] = [await find(text), await find(spell(text))];

      expect(outside(spell(text), spelled)).toEqual(outside(text, plain).map(spell));
    }),
    { numRuns: 200 },
  );
});

// Indexes of the tokens in the masked text.
function moved(spans: readonly Span[]): Pick<Span, 'start' | 'end'>[] {
  let by = 0;
  return spans.map(({ start, end, category }) => {
    const length = category.length + 2;
    const place = { start: start + by, end: start + by + length };
    by += length - (end - start);
    return place;
  });
}
