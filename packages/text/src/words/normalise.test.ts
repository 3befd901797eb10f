import { encodeHTML } from 'entities';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { languageOf } from './language.ts';
import { normalise } from './normalise.ts';
import { readWords } from './read-words.ts';

const isLetter = (unit: string): boolean => /\p{L}/u.test(unit);

// Ways to write one character that Unicode or HTML calls the same.
const SPELLINGS: readonly ((unit: string) => string)[] = [
  (unit) => unit,
  (unit) => unit.normalize('NFD'),
  (unit) => unit.normalize('NFD').replaceAll(/\p{M}/gu, '\u200b$&'),
  (unit) => `&#${unit.codePointAt(0)};`,
  (unit) => `&#x${unit.codePointAt(0)?.toString(16)};`,
  (unit) => encodeHTML(unit),
  (unit) => (/[!-~]/.test(unit) ? String.fromCharCode(unit.charCodeAt(0) + 0xfee0) : unit),
  (unit) => (/[a-z]/.test(unit) ? String.fromCodePoint(unit.charCodeAt(0) + 0x1d3b9) : unit),
  (unit) => (isLetter(unit) ? `${unit}\u00ad` : `${unit}\u2060`),
  (unit) => (isLetter(unit) ? `\u034f${unit}&shy;` : `&zwnj;${unit}`),
  (unit) => (unit === ' ' ? '\u202f' : unit),
  (unit) => (unit === ' ' ? '&nbsp;' : unit),
  (unit) => (unit === '-' ? '\u2011' : unit),
  (unit) => unit.replace(/\d/, (digit) => String.fromCharCode(0x660 + Number(digit))),
];
const written = fc.constantFrom(
  'Frau Müller aus der Küche hört nie zu, seit 2024.',
  'Call +44 7700 900123 or write to anna.oak@example.com, please.',
  "L'équipe de Mme Lefèvre ne répond pas à 06-12-34-56-78.",
  'La señora Núñez gana más que yo, y el comedor está cerrado.',
  'De collega’s vinden de kantine te duur; IBAN NL91ABNA0417164300.',
);
const spelled = fc
  .tuple(written, fc.infiniteStream(fc.nat(SPELLINGS.length - 1)))
  .map(([text, ways]) => Array.from(text, (unit) => ({ unit, spelling: SPELLINGS[ways.next().value]?.(unit) ?? unit })));

test('reads every spelling of a text that Unicode or HTML calls the same as one text, at its places [TEXTS-MASKING-6]', () => {
  fc.assert(
    fc.property(spelled, fc.nat(), fc.nat(), (units, from, length) => {
      const text = units.map(({ unit }) => unit).join('');
      const original = units.map(({ spelling }) => spelling).join('');
      const normal = normalise(original);
      expect(normal.text).toBe(text);

      const start = from % text.length;
      const end = Math.min(text.length, start + 1 + (length % 12));
      const range = normal.rangeOf(start, end);
      expect(normalise(original.slice(range.start, range.end)).text).toBe(text.slice(start, end));
      expect(readWords(original, 'de')).toEqual(readWords(text, 'de'));
      expect(languageOf(original, null)).toBe(languageOf(text, null));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['exam-\nple', 'example'],
  ['ex\u00ad\r\n  ample', 'example'],
  ['Müller-\nLüdenscheidt', 'Müller-Lüdenscheidt'],
  ['0171-\n2345678', '0171-2345678'],
  ['Vor-\nund Nachteile\n- one\n- two', 'Vor-\nund Nachteile\n- one\n- two'],
  ['a\r\nb\u2028c\td', 'a\nb\nc d'],
  ['Аnna, москва, fi\ufb01, m², n.º, it´s', 'Anna, москва, fifi, m², n.º, it’s'],
  ["Ka'imi, Ka’imi, Kaʻimi, qu'on, O'Ahern", "Kaʻimi, Kaʻimi, Kaʻimi, qu'on, O'Ahern"],
  ['R&D, 3 < 4 &amp; A&B; \ud800 &unknown;', 'R&D, 3 < 4 & A&B; \ud800 &unknown;'],
])('reads %j as %j', (original, text) => expect(normalise(original).text).toBe(text));

test('reads no text as one many times as long', () => {
  for (const sign of ['ﷺ', 'ﷻ', '㌖', '&#xfdfa;'])
    expect(normalise(sign.repeat(1_000)).text.length).toBeLessThanOrEqual(6 * sign.length * 1_000);
});

test('finds every range within the original, whatever it is', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('&#', '&nbsp', 'e\u0301', '\u00ad\n', '-\na', 'ﬃ', '&#x1d7d8;'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const original = pieces.join('');
      const { text, rangeOf } = normalise(original);
      const ranges = Array.from(text.split(''), (_, at) => rangeOf(at, at + 1));
      const isForward = ranges.every(({ start, end }, at) => start < end && start >= (ranges[at - 1]?.start ?? 0));
      expect(isForward && (ranges.at(-1)?.end ?? 0) <= original.length).toBe(true);
    }),
    { numRuns: 300 },
  );
});
