import { eld } from 'eld/extrasmall';

// Enough to tell a language by; what comes after costs time and changes nothing.
const LOOKED_AT_LENGTH = 400;

// What employees of European and American companies write in. Fewer candidates make short answers surer.
const LANGUAGES = 'ar cs da de el en es fi fr hu it ja ko nl no pl pt ro ru sv tr uk zh'.split(' ');

const detector = eld.newInstance();
detector.setLanguageSubset(LANGUAGES);

/** The ISO 639-1 code of the language that the text's beginning is most likely written in; `''` when it has no letters to tell by. */
export function languageOf(text: string): string {
  return detector.detect(text.slice(0, LOOKED_AT_LENGTH)).language;
}
