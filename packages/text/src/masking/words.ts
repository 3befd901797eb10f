import { FOLDED, KIND, LOWER, MARK, UPPER } from './letters.ts';
import { HASH_A_START, HASH_B_START, hashA, hashB } from './word-table.ts';

/** Spelling of a word. */
export const CAPITAL = 1;
// All letters are capitals; at least two letters.
export const SHOUTED = 2;

/** Kinds of gap between a word and its predecessor. */
export const GAP_SPACE = 0;
// A hyphen or an apostrophe, nothing else.
export const GAP_JOINT = 1;
// A dot directly after a single letter or a short title, with or without a space.
export const GAP_DOT = 2;
export const GAP_COMMA = 3;
// Anything else within the sentence, including digits.
export const GAP_OTHER = 4;
// The end of a sentence or line, a quotation, a bullet, or the start of the text.
export const GAP_BREAK = 5;

/**
 * Words of one text by index. A word contains only letters and their marks, so O'Brien and
 * Anna-Maria are two words each.
 */
export interface Words {
  count: number;
  readonly start: number[];
  readonly end: number[];
  // Hashes of the folded word; see word-table.ts.
  readonly a: number[];
  readonly b: number[];
  readonly shape: number[];
  readonly gap: number[];
}

const MAX_ABBREVIATION = 4;

const SPACES = /^[ \u00a0\t\u200b\u2009\u202f]*$/;
// Van 't Hof.
const SHORT_PARTICLE = /^ ['\u2019-]$/;
const JOINT = /^['\u2019\u2010-]$/;
const DOT = /^\.[^\n]?$/;
const BREAK = /[.!?:;\n\r\u2022\u2013\u2014"\u201c\u201d\u201e\u00ab\u00bb(<>[*|/\u00bf\u00a1]/;
const COMMA = /^[ \u00a0\t\u200b\u2009\u202f]*,[ \u00a0\t\u200b\u2009\u202f]*$/;

/** Reads the words of a text. Linear in UTF-16 code units. */
export function readWords(text: string): Readonly<Words> {
  const words: Words = { count: 0, start: [], end: [], a: [], b: [], shape: [], gap: [] };
  let gapStart = 0;
  let at = 0;
  // One unit more has no kind either.
  while (at < text.length) {
    const kind = KIND[text.charCodeAt(at)];
    if (kind !== LOWER && kind !== UPPER) {
      at++;
      continue;
    }
    words.gap.push(gapOf(text, gapStart, at, gapStart - (words.start.at(-1) ?? 0)));
    at = readWord(words, text, at);
    gapStart = at;
    words.count++;
  }
  return words;
}

function readWord(words: Words, text: string, start: number): number {
  let a = HASH_A_START;
  let b = HASH_B_START;
  let capitals = 0;
  let letters = 0;
  let at = start;
  // Ends behind the text, where no unit has a kind.
  for (; ; at++) {
    const unit = text.charCodeAt(at);
    const kind = KIND[unit];
    if (kind === MARK) continue;
    if (kind === UPPER) capitals++;
    else if (kind !== LOWER) break;
    letters++;
    const folded = FOLDED[unit] ?? 0;
    a = hashA(a, folded);
    b = hashB(b, folded);
  }
  words.start.push(start);
  words.end.push(at);
  words.a.push(a);
  words.b.push(b);
  const capital = KIND[text.charCodeAt(start)] === UPPER ? CAPITAL : 0;
  words.shape.push(capital | (letters > 1 && capitals === letters ? SHOUTED : 0));
  return at;
}

function gapOf(text: string, start: number, end: number, lengthBefore: number): number {
  if (start === 0) return GAP_BREAK;
  const gap = text.slice(start, end);
  if (SPACES.test(gap) || (SHORT_PARTICLE.test(gap) && text[end + 1] === ' ')) return GAP_SPACE;
  if (JOINT.test(gap)) return GAP_JOINT;
  if (DOT.test(gap) && (gap === '.' || lengthBefore <= MAX_ABBREVIATION)) return GAP_DOT;
  if (BREAK.test(gap)) return GAP_BREAK;
  return COMMA.test(gap) ? GAP_COMMA : GAP_OTHER;
}
