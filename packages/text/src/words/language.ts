import { readFileSync } from 'node:fs';
import { normalise } from './normalise.ts';

// Detection as in eld (https://github.com/nitotm/efficient-language-detector-js, Apache-2.0), on the
// bytes of its n-grams: tools/text/build-language-ngrams.ts.

/**
 * Languages of employees of European and American companies. Fewer candidates improve the detection
 * in short answers. The first of equally likely ones is detected.
 */
export const DETECTED_LANGUAGES: readonly string[] = 'ar cs da de el en es fi fr hu it ja ko nl no pl pt ro ru sv tr uk zh'.split(
  ' ',
);

/** Sum of the scores of a text's n-grams by language, in the order of DETECTED_LANGUAGES. */
interface LanguageScores {
  readonly sums: Uint32Array;
  // Number of distinct n-grams.
  readonly ngrams: number;
}

const NO_LETTERS = /[\P{L}\u{10000}-\u{10ffff}]+(?<!['`\u2019])/gu;
// In bytes. The text is cut at the first space after the first of these, and at the second at the
// latest.
const MAX_BEFORE_SPACE = 350;
const MAX_BYTES = 380;
const MAX_WORD = 70;
const NGRAM = 4;
const STRIDE = 3;

const DATA = readFileSync(new URL('../../models/language-ngrams.bin', import.meta.url));
const OFFSETS = readOffsets();

/** Scores the beginning of a text. Linear. */
function languageScores(text: string): LanguageScores {
  const ngrams = ngramsOf(beginningOf(Buffer.from(text.replace(NO_LETTERS, ' ').trim().toLowerCase())));
  const sums = new Uint32Array(DETECTED_LANGUAGES.length);
  for (const ngram of ngrams) {
    const at = OFFSETS.get(ngram);
    if (at === undefined) continue;
    const end = at + 2 * (DATA[at] ?? 0);
    for (let pair = at + 1; pair < end; pair += 2) {
      const language = DATA[pair] ?? 0;
      sums[language] = (sums[language] ?? 0) + (DATA[pair + 1] ?? 0);
    }
  }
  return { sums, ngrams: ngrams.size };
}

// Returns where the languages of each n-gram begin in DATA: their number, then pairs of a language
// and its weight. Keys are the n-gram's bytes, read as Latin-1 characters.
function readOffsets(): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  for (let at = 0; at < DATA.length;) {
    const end = at + 1 + (DATA[at] ?? 0);
    offsets.set(DATA.toString('latin1', at + 1, end), end);
    at = end + 1 + 2 * (DATA[end] ?? 0);
  }
  return offsets;
}

function beginningOf(bytes: Buffer): string {
  if (bytes.length <= MAX_BEFORE_SPACE) return bytes.toString('latin1');
  let end = MAX_BYTES + 1;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end++;
  const text = bytes.toString('latin1', 0, end);
  const space = text.indexOf(' ', MAX_BEFORE_SPACE + 1);
  return space < 0 ? text : text.slice(0, space);
}

function ngramsOf(text: string): ReadonlySet<string> {
  const ngrams = new Set<string>();
  if (text === '') return ngrams;
  for (const word of text.split(' ')) {
    const length = Math.min(MAX_WORD, word.length);
    let before = ' ';
    for (let at = 0; at + NGRAM < length; at += STRIDE) {
      ngrams.add(before + word.slice(at, at + NGRAM));
      before = '';
    }
    ngrams.add(`${before}${word.slice(Math.max(0, length - NGRAM))} `);
  }
  return ngrams;
}

// Enough characters to detect the language; more cost time and change nothing.
const LOOKED_AT_LENGTH = 400;

// Below, detection is wrong too often to overrule the expected language.
const SHORTEST_SURE = 20;
// The expected language must score less than this share of the detected one to be overruled.
const MAX_SHARE = 0.9;
// A mean score per n-gram becomes a share between 0 and 1; this one becomes one half.
const MIDDLE_SCORE = 25;

/**
 * Returns the most likely ISO 639-1 language of the text's beginning: the expected one, unless the
 * text is long enough and clearly in another. Without an expected language, returns `''` for a text
 * without letters.
 */
export function languageOf(original: string, expected: string | null): string {
  const { text } = normalise(original);
  if (expected !== null && text.length < SHORTEST_SURE) return expected;
  const { sums, ngrams } = languageScores(text.slice(0, LOOKED_AT_LENGTH));
  // Bounded: the languages that are told apart.
  const highest = Math.max(...sums);
  if (highest === 0) return expected ?? '';
  const detected = DETECTED_LANGUAGES[sums.indexOf(highest)] ?? '';
  if (expected === null || detected === expected) return detected;
  const share = (sum: number): number => sum / ngrams / (sum / ngrams + MIDDLE_SCORE);
  const expectedSum = sums[DETECTED_LANGUAGES.indexOf(expected)] ?? 0;
  return share(expectedSum) < MAX_SHARE * share(highest) ? detected : expected;
}
