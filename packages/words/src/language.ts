import { eld } from 'eld/extrasmall';

// Enough characters to detect the language; more cost time and change nothing.
const LOOKED_AT_LENGTH = 400;

// Languages of employees of European and American companies. Fewer candidates improve the detection
// in short answers.
const LANGUAGES = 'ar cs da de el en es fi fr hu it ja ko nl no pl pt ro ru sv tr uk zh'.split(' ');

const detector = eld.newInstance();
detector.setLanguageSubset(LANGUAGES);

/**
 * Returns the most likely ISO 639-1 language of the text's beginning; `''` for a text without
 * letters.
 */
export function languageOf(text: string): string {
  return detector.detect(text.slice(0, LOOKED_AT_LENGTH)).language;
}
