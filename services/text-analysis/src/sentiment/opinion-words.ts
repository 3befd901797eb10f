import { readList } from '@survey/text/masking/read-list.ts';
import { fold } from '@survey/text/words/fold.ts';

export interface OpinionWords {
  readonly praise: ReadonlySet<string>;
  readonly criticism: ReadonlySet<string>;
}

const NONE: OpinionWords = { praise: new Set(), criticism: new Set() };
const LANGUAGES = ['da', 'de', 'en', 'es', 'fr', 'nl', 'pt', 'sv'];
const byLanguage = new Map(LANGUAGES.map((language) => [language, opinionWords(language)]));

/** Returns the words, folded, that express an opinion in any context. */
export const opinionWordsOf = (language: string): OpinionWords => byLanguage.get(language) ?? NONE;

/** Lists the words and phrases of an opinion: `+` for praise, `-` for criticism. */
export function readOpinionLists(language: string): readonly (readonly [sign: string, phrases: readonly string[]])[] {
  return readList(`lists/opinions.${language}.txt`).map((line) => [line.charAt(0), line.slice(2).split(', ')]);
}

function opinionWords(language: string): OpinionWords {
  const bySign = new Map(readOpinionLists(language));
  const folded = (sign: string): ReadonlySet<string> => new Set(bySign.get(sign)?.map(fold));
  return { praise: folded('+'), criticism: folded('-') };
}
