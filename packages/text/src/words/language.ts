import { DETECTED_LANGUAGES, languageScores } from './language-scores.ts';
import { normalise } from './normalise.ts';

// Enough characters to detect the language; more cost time and change nothing.
const LOOKED_AT_LENGTH = 400;

// Below, detection is wrong too often to overrule the expected language.
const SHORTEST_SURE = 20;
// The expected language must score less than this share of the detected one to be overruled.
const MAX_SHARE = 0.9;
// Mean score of an n-gram that makes a share of one half.
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
