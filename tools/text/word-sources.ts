import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allFakers } from '@faker-js/faker';
import { fold } from '@survey/text/masking/letters.ts';
import { handWritten, wordsOf } from './name-sources.ts';

export const LIST_LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'da', 'sv', 'it', 'pl'] as const;
type ListLanguage = (typeof LIST_LANGUAGES)[number];

// Languages that the reviews are not in.
const WITHOUT_REVIEWS: readonly ListLanguage[] = ['it', 'pl'];

// Reviews whose licence permits shipping lists derived from them. Their `dev` parts stay unseen,
// for the evaluation.
const DOMAINS = ['coursera', 'food', 'hotel', 'phone', 'sight'];

// Minimum lower-case occurrences that make a name also a common word. Fewer are typing errors.
const SMALL_ENOUGH = 3;
// German capitalises nouns, so a preceding article or similar word identifies a noun there.
const NOUN_ENOUGH = 2;
const GERMAN_DETERMINERS = new Set(
  'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner dein sein seine ihr ihre unser unsere kein keine keinen jeder jede jedes dieser diese dieses im am zum zur beim vom viel viele mehr'.split(
    ' ',
  ),
);

/**
 * Collects the common words of a language: from reviews, Faker's word lists, and the hand-written
 * lists/.
 */
export function commonWords(data: string, language: ListLanguage, isName: (word: string) => boolean): Set<string> {
  const small = new Map<string, number>();
  const nouns = new Map<string, number>();
  for (const text of reviews(data, language)) {
    const words = text.normalize('NFC').match(/[\p{L}\p{M}]+/gu) ?? [];
    for (const [at, word] of words.entries()) {
      if (/^\p{Ll}/u.test(word)) increment(small, fold(word));
      else if (language === 'de' && at > 0) increment(nouns, fold(word), isDeterminer(words[at - 1]) ? NOUN_ENOUGH / 2 : 0);
    }
  }
  const common = new Set(handWritten(`common.${language}`));
  for (const [word, times] of small) if (!isName(word) || times >= SMALL_ENOUGH) common.add(word);
  for (const [word, times] of nouns) if (!isName(word) || times >= NOUN_ENOUGH) common.add(word);
  for (const word of fakerWords(language)) if (!isName(word)) common.add(word);
  return common;
}

const isDeterminer = (word: string | undefined): boolean => word !== undefined && GERMAN_DETERMINERS.has(word.toLowerCase());

function increment(counts: Map<string, number>, word: string, by = 1): void {
  if (word.length > 1) counts.set(word, (counts.get(word) ?? 0) + by);
}

function* reviews(data: string, language: ListLanguage): Generator<string> {
  if (WITHOUT_REVIEWS.includes(language)) return;
  for (const domain of DOMAINS) {
    const lines = readFileSync(join(data, 'm-absa', domain, language, 'train.txt'), 'utf8').split('\n');
    for (const line of lines) yield line.split('####')[0] ?? '';
  }
  if (language !== 'en') return;
  const mams = readFileSync(join(data, 'mams', 'acsa_train.xml'), 'utf8');
  for (const [, text] of mams.matchAll(/<text>([^<]*)<\/text>/g)) yield text ?? '';
}

function fakerWords(language: ListLanguage): string[] {
  const fakers = language === 'pt' ? [allFakers.pt_PT, allFakers.pt_BR] : [allFakers[language]];
  return fakers.flatMap(({ rawDefinitions: { word } }) =>
    Object.values(word ?? {}).flatMap((words) => (Array.isArray(words) ? words.flatMap((one) => wordsOf(String(one))) : [])),
  );
}
