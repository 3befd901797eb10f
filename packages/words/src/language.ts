import { eld } from 'eld/extrasmall';

// Enough characters to detect the language; more cost time and change nothing.
const LOOKED_AT_LENGTH = 400;

// Languages of employees of European and American companies. Fewer candidates improve the detection
// in short answers.
const LANGUAGES = 'ar cs da de el en es fi fr hu it ja ko nl no pl pt ro ru sv tr uk zh'.split(' ');

const detector = eld.newInstance();
detector.setLanguageSubset(LANGUAGES);

// Below, detection is wrong too often to overrule the expected language.
const SHORTEST_SURE = 20;
// The expected language must score less than this share of the detected one to be overruled.
const MAX_SHARE = 0.9;

/**
 * Returns the most likely ISO 639-1 language of the text's beginning: the expected one, unless the
 * text is long enough and clearly in another. Without an expected language, returns `''` for a text
 * without letters.
 */
export function languageOf(text: string, expected: string | null): string {
  if (expected !== null && text.length < SHORTEST_SURE) return expected;
  const detected = detector.detect(text.slice(0, LOOKED_AT_LENGTH));
  if (expected === null || detected.language === expected) return detected.language;
  if (detected.language === '') return expected;
  const scores = detected.getScores();
  return (scores[expected] ?? 0) < MAX_SHARE * (scores[detected.language] ?? 0) ? detected.language : expected;
}
