import { readKinds } from '@survey/text/masking/read-list.ts';
import type { Word } from '@survey/text/words/read-words.ts';
import { deniersOf } from './negation.ts';
import { leaningOfWord } from './opinion-words.ts';
import type { SetPhrase } from './set-phrases.ts';

// Praise and criticism in facts: `saves us hours`, `two people do the work of five`. The patterns
// of lists/implied.txt are matched within the sentences of an answer.

const SIGNS = { praise: '+', criticism: '-', surePraise: '++', sureCriticism: '--', opinion: '=' };
// Every repetition is bounded, so matching is linear.
const GAP = '(?:[^ .]+ ){0,7}?';
const REACH = 2;
const OPINION_REACH = 4;
const COMPARED = /^(?:as|than|wie|als|que|como|comme|dan)$/;

const LINES = readKinds('lists/implied.txt');
const PATTERNS: ReadonlyMap<string, RegExp> = new Map(
  [...new Set(LINES.map(({ language }) => language))].map((language) => [language, patternOf(language)]),
);

function patternOf(language: string): RegExp {
  const lines = LINES.filter((line) => line.language === language);
  const wordsOf = (kind: string): string => lines.find((line) => line.kind === kind)?.words ?? kind;
  const oneOf = (words: string): string => `(?:${words.replaceAll(/\p{Lu}+/gu, wordsOf).replaceAll('/', '|')}) `;
  // A space within the words of a list is none between parts.
  const compiled = (phrase: string): string =>
    phrase
      .split(' ')
      .map((part) => (part === '~' ? GAP : oneOf(part)))
      .join('');
  const groups = Object.entries(SIGNS).map(([name, sign]) => {
    const phrases = lines.filter(({ kind }) => kind === sign).flatMap(({ words }) => words.split(', '));
    return `(?<${name}>${phrases.map(compiled).join('|')})`;
  });
  return new RegExp(`(?<= )(?:${groups.join('|')})`, 'g');
}

/** Finds what the facts of an answer imply. Linear in the words. */
export function impliedFacts(words: readonly Word[], language: string): readonly SetPhrase[] {
  const pattern = PATTERNS.get(language);
  if (pattern === undefined) return [];
  let text = ' ';
  const offsets = words.map(({ folded, after }) => {
    if (after === 'sentence') text += '. ';
    text += `${folded} `;
    return text.length - folded.length - 1;
  });
  const facts: SetPhrase[] = [];
  let start = 0;
  for (const { 0: match, index, groups = {} } of text.matchAll(pattern)) {
    while ((offsets[start] ?? index) < index) start += 1;
    const end = start + match.split(' ').length - 1;
    const leaning = leaningOf(words, { start, end }, groups, language);
    if (leaning !== 0) facts.push({ start, end, leaning });
  }
  return facts;
}

function leaningOf(
  words: readonly Word[],
  { start, end }: { readonly start: number; readonly end: number },
  { praise, criticism, surePraise, sureCriticism }: Readonly<Record<string, string | undefined>>,
  language: string,
): SetPhrase['leaning'] {
  if (surePraise !== undefined) return 1;
  if (sureCriticism !== undefined) return -1;
  const folded = (from: number, to: number): string[] => words.slice(Math.max(0, from), to).map((word) => word.folded);
  if (praise === undefined && criticism === undefined) {
    const said = words.slice(start, end + OPINION_REACH);
    const at = said.findIndex((word) => leaningOfWord(word, language) !== 0);
    const word = said[at];
    return word === undefined || COMPARED.test(said[at + 1]?.folded ?? '') ? 0 : leaningOfWord(word, language);
  }
  // `crasht nooit`
  const isFollowed = words[end]?.after === 'word' && deniersOf(language).has(words[end]?.folded ?? '');
  const isDenied = isFollowed || folded(start - REACH, end).some((word) => deniersOf(language).has(word));
  return (praise === undefined) === isDenied ? 1 : -1;
}
