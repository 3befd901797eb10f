import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { LRUCache } from 'lru-cache';
import { fold } from './fold.ts';

const STEMMERS = new Map([
  ['de', german],
  ['en', english],
  ['es', spanish],
  ['fr', french],
  ['nl', dutch],
]);

// The stemmers are quadratic on words that no language has.
const MAX_WORD = 40;

// A stem costs 4 µs, and most words of an answer were seen before.
const stems = new LRUCache<string, string>({ max: 30_000 });

/** What the forms of a word have in common, without accents; a language without a stemmer gets the word without accents. */
export function stem(word: string, language: string): string {
  const stemmer = STEMMERS.get(language);
  if (stemmer === undefined || word.length > MAX_WORD) return fold(word);
  const key = `${language}${word}`;
  const known = stems.get(key);
  if (known !== undefined) return known;
  // `fold` last: the stemmers know endings by their accents.
  const found = fold(stemmer(word.toLowerCase()));
  stems.set(key, found);
  return found;
}
