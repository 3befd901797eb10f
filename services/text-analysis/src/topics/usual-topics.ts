import { fold } from '@survey/text/words/fold.ts';
import { stem } from '@survey/text/words/stem.ts';
import { contentWords, nameParts } from './name-parts.ts';
import { NARROW_TOPICS } from './starter/narrow-topics.ts';
import { splitKeywords, STARTER_TOPICS } from './starter-topics.ts';

type Keywords = Readonly<Record<string, readonly string[]>>;

interface UsualTopic {
  readonly keywords: Keywords;
  readonly names: readonly string[];
}

const NARROW: readonly UsualTopic[] = NARROW_TOPICS.map((topic) => ({
  keywords: Object.fromEntries(Object.entries(topic).map(([language, words]) => [language, splitKeywords(words)])),
  names: [],
}));
const WIDE: readonly UsualTopic[] = STARTER_TOPICS.map(({ names, keywords }) => ({
  keywords,
  names: Object.values(names).flatMap((name) => [name, ...nameParts(name)]),
}));

// Narrow topics first: Canteen is also a keyword of a wider one. Made when first needed: they take
// 15 MiB and 170 ms of CPU time.
const byPhrase = lazily(() =>
  [NARROW, WIDE].map((topics) =>
    indexBy(topics, ({ keywords, names }) => [...Object.values(keywords).flat(), ...names].map(phraseOf)),
  ),
);
const byStem = lazily(() =>
  [NARROW, WIDE].map((topics) =>
    indexBy(topics, ({ keywords }) =>
      Object.entries(keywords).flatMap(([language, words]) => words.map((word) => stem(word, language))),
    ),
  ),
);
const STEM_LANGUAGES = Object.keys(NARROW[0]?.keywords ?? {});

const MAX_PHRASE_WORDS = 5;
// Shorter words of different languages have the same stem too often.
const SHORTEST_STEMMED = 6;

/**
 * Returns keywords in all languages of the starter topics for a topic that has only a name: those
 * of the usual topics whose names or keywords are in it. A name that shows none has none.
 */
export function suggestedKeywords(name: string): Keywords {
  const whole = topicsOfPhrase(phraseOf(name));
  const topics = new Set(whole.length > 0 ? whole : nameParts(name).flatMap(topicsIn));
  const languages = new Set([...topics].flatMap(({ keywords }) => Object.keys(keywords)));
  return Object.fromEntries(
    [...languages].map((language) => [language, [...new Set([...topics].flatMap(({ keywords }) => keywords[language] ?? []))]]),
  );
}

// The longest phrases of a text that name a usual topic, from left to right.
function topicsIn(text: string): readonly UsualTopic[] {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const matches: UsualTopic[] = [];
  for (let at = 0; at < words.length; at += 1) {
    for (let length = Math.min(MAX_PHRASE_WORDS, words.length - at); length > 0; length -= 1) {
      const phrase = words.slice(at, at + length).join(' ');
      const topics = length > 1 || contentWords(phrase).length > 0 ? topicsOfPhrase(phraseOf(phrase)) : [];
      for (const topic of topics) matches.push(topic);
      if (topics.length === 0) continue;
      at += length - 1;
      break;
    }
  }
  return matches.length > 0 ? matches : contentWords(text).flatMap(topicsOfStem);
}

const topicsOfPhrase = (phrase: string): readonly UsualTopic[] => firstOf(byPhrase(), [phrase]);

const topicsOfStem = (word: string): readonly UsualTopic[] =>
  word.length < SHORTEST_STEMMED
    ? []
    : firstOf(
        byStem(),
        STEM_LANGUAGES.map((language) => stem(word, language)),
      );

function firstOf(indexes: readonly ReadonlyMap<string, readonly UsualTopic[]>[], keys: readonly string[]): readonly UsualTopic[] {
  for (const index of indexes) {
    const topics = keys.flatMap((key) => index.get(key) ?? []);
    if (topics.length > 0) return topics;
  }
  return [];
}

function phraseOf(text: string): string {
  return (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

function indexBy(
  topics: readonly UsualTopic[],
  keysOf: (topic: UsualTopic) => readonly string[],
): ReadonlyMap<string, readonly UsualTopic[]> {
  const index = new Map<string, UsualTopic[]>();
  for (const topic of topics) for (const key of new Set(keysOf(topic))) index.set(key, [...(index.get(key) ?? []), topic]);
  return index;
}

function lazily<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
