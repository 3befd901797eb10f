import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { fold } from './fold.ts';

const STEMMERS = new Map([
  ['da', danish],
  ['de', german],
  ['en', english],
  ['es', spanish],
  ['fr', french],
  ['nl', dutch],
  ['pt', portuguese],
  ['sv', swedish],
]);

// The stemmers take quadratic time on words longer than any real word.
const MAX_WORD = 40;

// A stem costs 4 µs, and most words of an answer are already cached. All are evicted at once: to
// order them by use costs more than the few that are computed again.
const MAX_STEMS = 30_000;
const stems = new Map<string, string>();

/**
 * Returns the common stem of a word's forms, without accents; in a language without a stemmer, the
 * word without accents.
 */
export function stem(word: string, language: string): string {
  const stemmer = STEMMERS.get(language);
  if (stemmer === undefined || word.length > MAX_WORD) return fold(word);
  const key = `${language}${word}`;
  const cached = stems.get(key);
  if (cached !== undefined) return cached;
  // `fold` last: the stemmers recognise endings by their accents.
  const stemmed = fold(stemmer(word.toLowerCase()));
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(key, stemmed);
  return stemmed;
}
