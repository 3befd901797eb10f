import { readList } from '@survey/text/masking/read-list.ts';
import { fold } from '@survey/text/words/fold.ts';
import type { Word } from '@survey/text/words/read-words.ts';
import { stem } from '@survey/text/words/stem.ts';

interface OpinionWords {
  readonly praise: ReadonlySet<string>;
  readonly criticism: ReadonlySet<string>;
  // By their stems, because they are inflected; 0 where words of both kinds share one.
  readonly leanings: ReadonlyMap<string, 1 | 0 | -1>;
  // Nouns with such a stem: `Drucker` is no pressure.
  readonly others: ReadonlySet<string>;
}

const NONE: OpinionWords = { praise: new Set(), criticism: new Set(), leanings: new Map(), others: new Set() };
const LANGUAGES = ['da', 'de', 'en', 'es', 'fr', 'nl', 'pt', 'sv'];
const byLanguage = new Map(LANGUAGES.map((language) => [language, opinionWords(language)]));

/** Returns the words, folded, that express an opinion in any context. */
export const opinionWordsOf = (language: string): OpinionWords => byLanguage.get(language) ?? NONE;

const SHORTEST_STEM = 5;

/** Returns whether a word, which may be inflected, praises (1), criticises (-1) or neither (0). */
export function leaningOfWord({ folded, stem: inflected }: Pick<Word, 'folded' | 'stem'>, language: string): 1 | 0 | -1 {
  const { praise, criticism, leanings, others } = opinionWordsOf(language);
  if (others.has(folded)) return 0;
  if (praise.has(folded) !== criticism.has(folded)) return praise.has(folded) ? 1 : -1;
  const isInflected =
    inflected !== folded && (inflected.length >= SHORTEST_STEM || praise.has(inflected) || criticism.has(inflected));
  return isInflected ? (leanings.get(inflected) ?? 0) : 0;
}

/** Lists words and phrases by sign: `+` for praise, `-` for criticism, `=` for neither. */
export function readOpinionLists(language: string): readonly (readonly [sign: string, phrases: readonly string[]])[] {
  return readList(`lists/opinions.${language}.txt`).map((line) => [line.charAt(0), line.slice(2).split(', ')]);
}

function opinionWords(language: string): OpinionWords {
  const bySign = new Map(readOpinionLists(language));
  const folded = (sign: string): ReadonlySet<string> => new Set(bySign.get(sign)?.map(fold));
  const leanings = new Map<string, 1 | 0 | -1>();
  for (const [sign, leaning] of [
    ['+', 1],
    ['-', -1],
  ] as const)
    for (const word of bySign.get(sign) ?? []) {
      const ofWord = stem(word, language);
      leanings.set(ofWord, (leanings.get(ofWord) ?? leaning) === leaning ? leaning : 0);
    }
  return { praise: folded('+'), criticism: folded('-'), leanings, others: folded('=') };
}
