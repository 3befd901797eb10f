import { FOLDED, KIND, LOWER, MARK, OTHER, UPPER } from './letters.ts';
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
const GAP_OTHER = 4;
// The end of a sentence or line, a quotation, a bullet, or the start of the text.
export const GAP_BREAK = 5;

/**
 * Words of one text by index. A word contains only letters and their marks, so O'Brien and
 * Anna-Maria are two words each.
 */
export interface Words {
  count: number;
  start: Int32Array;
  end: Int32Array;
  // Hashes of the folded word; see word-table.ts.
  a: Int32Array;
  b: Int32Array;
  shape: Uint8Array;
  gap: Uint8Array;
}

const FIRST_CAPACITY = 512;
const MAX_ABBREVIATION = 4;

const DOT = 46;
const COMMA = 44;
const SPACE = 32;
const NO_BREAK_SPACE = 0xa0;
const NEWLINE = 10;

// Effect of a character on the gap that contains it.
const GAP_OF = new Uint8Array(0x10000).fill(GAP_OTHER);
for (const unit of [SPACE, NO_BREAK_SPACE, 9, 0x200b, 0x2009, 0x202f]) GAP_OF[unit] = GAP_SPACE;
for (const character of "-'\u2019\u2010") GAP_OF[character.charCodeAt(0)] = GAP_JOINT;
for (const character of '.!?:;\n\r\u2022\u2013\u2014"\u201c\u201d\u201e\u00ab\u00bb(<>[*|/\u00bf\u00a1')
  GAP_OF[character.charCodeAt(0)] = GAP_BREAK;
GAP_OF[COMMA] = GAP_COMMA;

// One buffer for all texts: an answer is processed completely before the next one is read.
let words = allocate(FIRST_CAPACITY);

/**
 * Reads the words of a text. The result is valid until the next call. Linear in UTF-16 code units.
 */
export function readWords(text: string): Readonly<Words> {
  let count = 0;
  let gapStart = 0;
  let at = 0;
  while (at < text.length) {
    const kind = KIND[text.charCodeAt(at)] ?? OTHER;
    if (kind !== LOWER && kind !== UPPER) {
      at++;
      continue;
    }
    if (count === words.start.length) grow();
    words.gap[count] = gapOf(text, gapStart, at, count === 0 ? 0 : gapStart - (words.start[count - 1] ?? 0));
    at = readWord(text, at, count);
    gapStart = at;
    count++;
  }
  words.count = count;
  return words;
}

function readWord(text: string, start: number, place: number): number {
  let a = HASH_A_START;
  let b = HASH_B_START;
  let capitals = 0;
  let letters = 0;
  let at = start;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const kind = KIND[unit] ?? OTHER;
    if (kind === MARK) continue;
    if (kind === UPPER) capitals++;
    else if (kind !== LOWER) break;
    letters++;
    const folded = FOLDED[unit] ?? 0;
    a = hashA(a, folded);
    b = hashB(b, folded);
  }
  words.start[place] = start;
  words.end[place] = at;
  words.a[place] = a;
  words.b[place] = b;
  const capital = KIND[text.charCodeAt(start)] === UPPER ? CAPITAL : 0;
  words.shape[place] = capital | (letters > 1 && capitals === letters ? SHOUTED : 0);
  return at;
}

function gapOf(text: string, start: number, end: number, lengthBefore: number): number {
  if (start === 0) return GAP_BREAK;
  const unit = text.charCodeAt(start);
  const length = end - start;
  if (length === 1) return unit === DOT ? GAP_DOT : (GAP_OF[unit] ?? GAP_OTHER);
  if (unit === DOT && length === 2 && text.charCodeAt(start + 1) !== NEWLINE && lengthBefore <= MAX_ABBREVIATION) return GAP_DOT;
  // Van 't Hof.
  if (length === 2 && unit === SPACE && GAP_OF[text.charCodeAt(start + 1)] === GAP_JOINT && text.charCodeAt(end + 1) === SPACE)
    return GAP_SPACE;
  return longGap(text, start, end);
}

function longGap(text: string, start: number, end: number): number {
  let gap = GAP_SPACE;
  for (let at = start; at < end; at++) {
    const one = GAP_OF[text.charCodeAt(at)] ?? GAP_OTHER;
    if (one === GAP_BREAK) return GAP_BREAK;
    if (one === GAP_COMMA && gap === GAP_SPACE) gap = GAP_COMMA;
    else if (one !== GAP_SPACE) gap = GAP_OTHER;
  }
  return gap;
}

function allocate(capacity: number): Words {
  return {
    count: 0,
    start: new Int32Array(capacity),
    end: new Int32Array(capacity),
    a: new Int32Array(capacity),
    b: new Int32Array(capacity),
    shape: new Uint8Array(capacity),
    gap: new Uint8Array(capacity),
  };
}

function grow(): void {
  const grown = allocate(words.start.length * 2);
  for (const column of ['start', 'end', 'a', 'b', 'shape', 'gap'] as const) grown[column].set(words[column]);
  words = grown;
}
