import { fold } from '@survey/text/words/fold.ts';
import { readWords, type Word } from '@survey/text/words/read-words.ts';
import type { TopicView } from './categoriser.ts';
import { isContent, nameParts } from './name-parts.ts';

export interface KeywordHit {
  // Indexes in the list of topics and in the words.
  readonly topic: number;
  readonly word: number;
  // Number of words from there on.
  readonly length: number;
  readonly keyword: string;
}

export interface KeywordMatcher {
  /**
   * Finds the topics' keywords in an answer, in one pass over its words: up to where 300,000
   * keywords have begun like one of its words, as in no text that people write.
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

export function compileMatcher(
  topics: readonly TopicView[],
  language: string,
  wordsOf: WordsOf = assigningWords,
): KeywordMatcher {
  const byStem = new Map<string, Entry[]>();
  const byPart = new Map<string, Entry[]>();
  const byStart = new Map<string, Entry[]>();
  for (const [topic, view] of topics.entries()) {
    for (const keyword of wordsOf(view, language)) {
      const [first, ...others] = readWords(keyword, language);
      const [stems, ...rest] = spellings(keyword, language);
      if (first === undefined || stems === undefined) continue;
      const entry = { topic, keyword, first, rest };
      const joined = others.reduce<Word | undefined>(joinedWord, first);
      if (joined !== undefined && rest.length > 0) add(byStem, joined.stem, { ...entry, first: joined, rest: [] });
      if (rest.length === 0 && UNSPACED.test(first.folded)) add(byStart, startOf(first.folded), entry);
      for (const stem of stems) add(byStem, stem, entry);
      if (rest.length > 0 || !takesCompounds(language)) continue;
      for (const part of new Set([first.folded, ...stems])) add(byPart, part, entry);
    }
  }
  return {
    find: (words) => {
      const allHits: KeywordHit[] = [];
      let compared = 0;
      const beginning =
        (index: Index) =>
        (start: string): readonly Entry[] => {
          const entries = index.get(start) ?? NONE;
          compared += entries.length;
          return compared > MAX_COMPARED ? NONE : entries;
        };
      for (const [index, word] of words.entries()) {
        const hits = hitsAt(words, word, index, beginning(byStem), byPart.size === 0 ? undefined : beginning(byPart));
        const hitsOfWord = hits.length > 0 || byStart.size === 0 ? hits : hitsWithin(word, index, beginning(byStart));
        for (const hit of hitsOfWord) allHits.push(hit);
        if (compared > MAX_COMPARED) break;
      }
      return allHits;
    },
  };
}

const NONE: readonly Entry[] = [];
const MAX_COMPARED = 300_000;

type Beginning = (start: string) => readonly Entry[];

function hitsAt(
  words: readonly Word[],
  word: Word,
  index: number,
  byStem: Beginning,
  byPart: Beginning | undefined,
): readonly KeywordHit[] {
  const whole = byStem(word.stem).filter((entry) => isSameWord(word, entry.first) && follows(words, index, entry));
  const joined = whole.length > 0 ? undefined : joinedWord(word, words[index + 1]);
  if (joined !== undefined) {
    const entries = byStem(joined.stem).filter(({ first, rest }) => rest.length === 0 && isSameWord(joined, first));
    if (entries.length > 0) return entries.map(({ topic, keyword }) => ({ topic, word: index, length: 2, keyword }));
  }
  const entries = whole.length > 0 || byPart === undefined ? whole : partsOfCompound(word).flatMap(byPart);
  return entries.map(({ topic, keyword, rest }) => ({ topic, word: index, length: 1 + rest.length, keyword }));
}

// Scripts that are written without spaces, or with them between phrases only.
const UNSPACED = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}/u;

const startOf = (text: string, at = 0): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

function hitsWithin({ folded }: Word, index: number, byStart: Beginning): readonly KeywordHit[] {
  if (!UNSPACED.test(folded)) return [];
  const entries = new Set<Entry>();
  for (let at = 0; at < folded.length; at += 1) {
    for (const entry of byStart(startOf(folded, at))) if (folded.startsWith(entry.first.folded, at)) entries.add(entry);
  }
  return [...entries].map(({ topic, keyword }) => ({ topic, word: index, length: 1, keyword }));
}

const SHORTEST_JOINED = 4;

// `car park`, `car-park` and `carpark` are one word.
function joinedWord(word: Word | undefined, next: Word | undefined): Word | undefined {
  if (word === undefined || next?.after !== 'word' || next.folded.length < 2) return undefined;
  const folded = word.folded + next.folded;
  return folded.length < SHORTEST_JOINED ? undefined : { ...word, folded, stem: word.folded + next.stem, capitals: false };
}

const SHORT_ENDING = 2;

// Stemmers give some different words one stem (`organisation` and `organs`), and `IT` is not `it`.
function isSameWord(word: Word, keyword: Word): boolean {
  if (keyword.capitals && !word.capitals && !isContent(keyword.folded)) return false;
  const [short, long] = [word.folded.length, keyword.folded.length].sort((a, b) => a - b);
  // Danish `lønnen` is more than half longer than `løn`, and still the same word.
  const isDoubled = word.folded.startsWith(keyword.folded + (keyword.folded.at(-1) ?? ''));
  return isDoubled || (short !== undefined && long !== undefined && (short >= long * 0.65 || long - short <= SHORT_ENDING));
}

const follows = (words: readonly Word[], index: number, entry: Entry): boolean =>
  entry.rest.every((stems, offset) => stems.includes(words[index + 1 + offset]?.stem ?? ''));

// Letters at the end of a stem that change in the plural, which the stemmers keep: huis, huizen.
const TWINS: Readonly<Record<string, readonly (readonly [end: string, twin: string])[]>> = {
  es: [
    ['z', 'c'],
    ['c', 'z'],
  ],
  nl: [
    ['s', 'ss'],
    ['s', 'z'],
    ['z', 's'],
    ['f', 'v'],
    ['v', 'f'],
  ],
  pt: [
    ['ia', 'io'],
    ['io', 'ia'],
  ],
};

// Clients type a word with accents, without them, or with ae, oe, ue: each spelling has its own
// stem.
function spellings(keyword: string, language: string): readonly (readonly string[])[] {
  const singular = [keyword, fold(keyword), keyword.toLowerCase().replace(/[äöü]/gu, (vowel) => `${fold(vowel)}e`)];
  // Their stemmers keep the s of vélos and pauzes.
  const hasPlural = (language === 'fr' || language === 'nl') && /\p{L}{3}[aeiouyé]$/u.test(keyword);
  const typed = hasPlural ? [...singular, ...singular.map((spelling) => `${spelling}s`)] : singular;
  const readings = typed.map((spelling) => readWords(spelling, language).map((word) => word.stem));
  const twins = TWINS[language] ?? [];
  return (readings[0] ?? []).map((_, index) => {
    const stems = readings.flatMap((reading) => reading[index] ?? []);
    const others = stems.flatMap((stem) =>
      twins.filter(([end]) => stem.endsWith(end)).map(([end, twin]) => stem.slice(0, -end.length) + twin),
    );
    return [...new Set([...stems, ...others])];
  });
}

function add(index: Map<string, Entry[]>, key: string, entry: Entry): void {
  const postings = index.get(key);
  if (postings === undefined) index.set(key, [entry]);
  else if (postings.at(-1) !== entry) postings.push(entry);
}

// Languages whose keywords also match the first or last part of a compound: Gehalt in
// Gehaltserhöhung, salaris in basissalaris.
const COMPOUNDING: ReadonlySet<string> = new Set(['de', 'nl']);
const SHORTEST_PART = 4;
const MAX_PART = 20;
const SHORTEST_REST = 3;
// Maximum length of a word that may be a compound.
const MAX_COMPOUND = 40;

const takesCompounds = (language: string): boolean => COMPOUNDING.has(language);

/**
 * Returns the possible first and last parts of a compound. The rest must be longer than an ending
 * of four letters: `lohnend` does not contain Lohn.
 */
function partsOfCompound({ folded, stem }: Word): readonly string[] {
  const parts: string[] = [];
  if (folded.length > MAX_COMPOUND) return parts;
  for (let length = SHORTEST_PART; length <= MAX_PART && length <= folded.length - SHORTEST_REST; length += 1) {
    if (length <= folded.length - SHORTEST_REST - 1) parts.push(folded.slice(0, length));
    if (length <= stem.length - SHORTEST_REST) parts.push(stem.slice(-length));
  }
  return parts;
}

/** What shows a topic in an answer. */
export type WordsOf = (topic: TopicView, language: string) => readonly string[];

/**
 * Returns what assigns a topic: its keywords for the answer's language, or else its names (rule
 * TEXTS-TOPICS-4). Only what the topic's page shows.
 */
const assigningWords: WordsOf = (topic, language) => {
  const keywords = topic.keywords.get(language) ?? [];
  return keywords.length > 0 ? keywords : topicNames(topic);
};

/** Returns what a topic is called in an answer, assigned by it or not: names and keywords. */
export const namingWords: WordsOf = (topic, language) => [
  ...new Set([...topicNames(topic), ...(topic.keywords.get(language) ?? [])]),
];

/** Returns a topic's names, and the parts of those that are several: Health and Balance. */
export function topicNames({ name, otherNames = [] }: Pick<TopicView, 'name' | 'otherNames'>): readonly string[] {
  return [...new Set([name, ...otherNames].flatMap((one) => [one, ...nameParts(one)]))];
}
