import { OKINA } from '../words/normalise.ts';

// Tables over the 65,536 UTF-16 code units. Hot path: every scan looks up each character.

export const OTHER = 0;
export const LOWER = 1;
export const UPPER = 2;
// A combining mark belongs to its letter, so that decomposed text equals composed text.
export const MARK = 3;
export const DIGIT = 4;

/** Kind of each UTF-16 code unit: one of the five above. Unpaired surrogates are OTHER. */
export const KIND = new Uint8Array(0x10000);

/** Folded code unit of each letter: lower case, without accent; 0 for a mark and the okina. */
export const FOLDED = new Uint16Array(0x10000);

/** Letters that do not decompose, and the plain letters as which employees type them. */
export const PLAIN: ReadonlyMap<string, string> = new Map([
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ħ', 'h'],
  ['ı', 'i'],
  ['æ', 'a'],
  ['œ', 'o'],
  ['ß', 's'],
]);

const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

for (let unit = 0; unit < KIND.length; unit++) {
  if (unit >= FIRST_SURROGATE && unit < AFTER_SURROGATES) continue;
  const character = String.fromCharCode(unit);
  KIND[unit] = kindOf(character);
  FOLDED[unit] = foldedUnit(character, KIND[unit]);
}

function kindOf(character: string): number {
  if (/\p{Lu}|\p{Lt}/u.test(character)) return UPPER;
  if (/\p{L}/u.test(character)) return LOWER;
  if (/\p{M}/u.test(character)) return MARK;
  return /\p{Nd}/u.test(character) ? DIGIT : OTHER;
}

function foldedUnit(character: string, kind: number | undefined): number {
  if (kind === MARK || character === OKINA) return 0;
  const lower = character.toLowerCase();
  const plain = (PLAIN.get(lower) ?? lower).normalize('NFD');
  return plain.charCodeAt(0);
}

/** Folds a text for comparisons: lower case, no accents. */
export function fold(text: string): string {
  let folded = '';
  for (let at = 0; at < text.length; at++) {
    const unit = FOLDED[text.charCodeAt(at)] ?? 0;
    if (unit !== 0) folded += String.fromCharCode(unit);
  }
  return folded;
}
