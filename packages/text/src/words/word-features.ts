import type { Word } from './read-words.ts';

/** Returns the bucket of a text: FNV-1a, the same on every machine. `buckets` is a power of two. */
export function hash(text: string, buckets: number): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  // FNV's low bits depend only on the low bits of the text.
  return ((state >>> 0) ^ (state >>> 15)) & (buckets - 1);
}

export const BUCKETS = 2 ** 18;

// Number of words after a negator that count as negated.
const NEGATION_REACH = 4;
const SHORTEST_GRAM = 3;
const MAX_GRAM = 5;
// Weight of one part of a word; a word has many correlated parts.
const GRAM_WEIGHT = 0.3;
const MAX_WORD = 30;

export interface Features {
  readonly buckets: number[];
  readonly weights: number[];
}

interface WordRange {
  // Word indexes; the end is exclusive.
  readonly start: number;
  readonly end: number;
}

/**
 * Returns features for a linear model: words, stems, pairs and parts of words; separate ones where
 * negated. Hidden words have none of their own, so that one can stand for the other.
 */
export function wordFeatures(
  words: readonly Word[],
  { start, end }: WordRange,
  { negators, hidden }: { readonly negators?: ReadonlySet<string>; readonly hidden?: ReadonlySet<number> } = {},
): Features {
  const features: Features = { buckets: [], weights: [] };
  let negatedFor = 0;
  let before = '';
  for (let index = start; index < end; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    const mark = negatedFor > 0 ? '!' : '';
    if (hidden?.has(index) === true) {
      before = '';
      continue;
    }
    add(features, `w${mark}${word.folded}`, 1);
    add(features, `s${mark}${word.stem}`, 1);
    add(features, `b${before} ${word.folded}`, 1);
    addGrams(features, `<${word.folded.slice(0, MAX_WORD)}>`, mark);
    negatedFor = negators?.has(word.folded) === true ? NEGATION_REACH : negatedFor - 1;
    before = word.folded;
  }
  return features;
}

function addGrams(features: Features, word: string, mark: string): void {
  if (word.length < SHORTEST_GRAM + 3) return;
  for (let length = SHORTEST_GRAM; length <= MAX_GRAM; length += 1) {
    for (let start = 0; start + length <= word.length; start += 1)
      add(features, `c${mark}${word.slice(start, start + length)}`, GRAM_WEIGHT);
  }
}

function add(features: Features, text: string, weight: number): void {
  features.buckets.push(hash(text, BUCKETS));
  features.weights.push(weight);
}
