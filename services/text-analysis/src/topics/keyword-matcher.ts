import { fold } from '@survey/text/words/fold.ts';
import { readWords, type Word } from '@survey/text/words/read-words.ts';
import type { TopicView } from './categoriser.ts';
import { partsOfCompound, takesCompounds } from './compounds.ts';
import { keywordsOf } from './keywords-of.ts';

export interface KeywordHit {
  // Indexes in the list of topics and in the words.
  readonly topic: number;
  readonly word: number;
  readonly keyword: string;
}

export interface KeywordMatcher {
  /**
   * Finds the topics' keywords in an answer, in one pass over its words for any number of keywords.
   */
  find(words: readonly Word[]): readonly KeywordHit[];
}

interface Entry {
  readonly topic: number;
  readonly keyword: string;
  readonly first: Word;
  // Stems that must follow, each in all its spellings.
  readonly rest: readonly (readonly string[])[];
}

type Index = ReadonlyMap<string, readonly Entry[]>;

export function compileMatcher(topics: readonly TopicView[], language: string): KeywordMatcher {
  const byStem = new Map<string, Entry[]>();
  const byPart = new Map<string, Entry[]>();
  for (const [topic, view] of topics.entries()) {
    for (const keyword of keywordsOf(view, language)) {
      const [first] = readWords(keyword, language);
      const [stems, ...rest] = spellings(keyword, language);
      if (first === undefined || stems === undefined) continue;
      const entry = { topic, keyword, first, rest };
      for (const stem of stems) add(byStem, stem, entry);
      if (rest.length > 0 || !takesCompounds(language)) continue;
      for (const part of new Set([first.folded, ...stems])) add(byPart, part, entry);
    }
  }
  return { find: (words) => words.flatMap((word, index) => hitsAt(words, word, index, byStem, byPart)) };
}

const NONE: readonly Entry[] = [];

function hitsAt(words: readonly Word[], word: Word, index: number, byStem: Index, byPart: Index): readonly KeywordHit[] {
  const whole = byStem.get(word.stem)?.filter((entry) => isSameWord(word, entry.first) && follows(words, index, entry)) ?? NONE;
  const entries =
    whole.length > 0 || byPart.size === 0 ? whole : partsOfCompound(word).flatMap((part) => byPart.get(part) ?? NONE);
  return entries.map(({ topic, keyword }) => ({ topic, word: index, keyword }));
}

// Stemmers give some different words one stem (`organisation` and `organs`), and `IT` is not `it`.
function isSameWord(word: Word, keyword: Word): boolean {
  if (keyword.capitals && keyword.folded.length <= 3 && !word.capitals) return false;
  const [short, long] = [word.folded.length, keyword.folded.length].sort((a, b) => a - b);
  return short !== undefined && long !== undefined && short >= long * 0.65;
}

const follows = (words: readonly Word[], index: number, entry: Entry): boolean =>
  entry.rest.every((stems, offset) => stems.includes(words[index + 1 + offset]?.stem ?? ''));

// Clients type a word with accents, without them, or with ae, oe, ue: each spelling has its own
// stem.
function spellings(keyword: string, language: string): readonly (readonly string[])[] {
  const typed = [keyword, fold(keyword), keyword.toLowerCase().replace(/[äöü]/gu, (vowel) => `${fold(vowel)}e`)];
  const readings = typed.map((spelling) => readWords(spelling, language).map((word) => word.stem));
  return (readings[0] ?? []).map((_, index) => [...new Set(readings.flatMap((reading) => reading[index] ?? []))]);
}

function add(index: Map<string, Entry[]>, key: string, entry: Entry): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [entry]);
  else if (!known.includes(entry)) known.push(entry);
}
