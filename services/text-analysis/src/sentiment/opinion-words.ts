import { readList } from '@survey/text/masking/read-list.ts';
import { fold } from '@survey/text/words/fold.ts';
import { stem } from '@survey/text/words/stem.ts';

export interface OpinionWords {
  readonly praise: ReadonlySet<string>;
  readonly criticism: ReadonlySet<string>;
  // By their stems, because they are inflected.
  readonly leanings: ReadonlyMap<string, 1 | -1>;
}

const NONE: OpinionWords = { praise: new Set(), criticism: new Set(), leanings: new Map() };
const LANGUAGES = ['da', 'de', 'en', 'es', 'fr', 'nl', 'pt', 'sv'];
const byLanguage = new Map(LANGUAGES.map((language) => [language, opinionWords(language)]));

/** Returns the words, folded, that express an opinion in any context. */
export const opinionWordsOf = (language: string): OpinionWords => byLanguage.get(language) ?? NONE;

/** Returns whether a word with this stem praises (1), criticises (-1) or neither (0). */
export const leaningOfStem = (ofWord: string, language: string): 1 | 0 | -1 => opinionWordsOf(language).leanings.get(ofWord) ?? 0;

/** Lists the words and phrases of an opinion: `+` for praise, `-` for criticism. */
export function readOpinionLists(language: string): readonly (readonly [sign: string, phrases: readonly string[]])[] {
  return readList(`lists/opinions.${language}.txt`).map((line) => [line.charAt(0), line.slice(2).split(', ')]);
}

function opinionWords(language: string): OpinionWords {
  const bySign = new Map(readOpinionLists(language));
  const folded = (sign: string): ReadonlySet<string> => new Set(bySign.get(sign)?.map(fold));
  const stems = (sign: string, leaning: 1 | -1): (readonly [string, 1 | -1])[] =>
    (bySign.get(sign) ?? []).map((word) => [stem(word, language), leaning]);
  return { praise: folded('+'), criticism: folded('-'), leanings: new Map([...stems('+', 1), ...stems('-', -1)]) };
}
