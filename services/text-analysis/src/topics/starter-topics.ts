import { fold } from '@survey/words/fold.ts';
import type { TopicView } from './categoriser.ts';
import { contentWords, nameParts } from './keywords-of.ts';
import { DE } from './starter/de.ts';
import { EN } from './starter/en.ts';
import { ES } from './starter/es.ts';
import { FR } from './starter/fr.ts';
import { NL } from './starter/nl.ts';
import { NARROW_TOPICS } from './starter/narrow-topics.ts';
import { STARTER_KEYS, type StarterWords } from './starter/starter-words.ts';

const LANGUAGES: ReadonlyMap<string, StarterWords> = new Map([
  ['de', DE],
  ['en', EN],
  ['es', ES],
  ['fr', FR],
  ['nl', NL],
]);

/**
 * Returns the workplace topics that an account without topics starts with: names in its language or
 * English, keywords in all five languages.
 */
export function starterTopics(language: string): readonly Omit<TopicView, 'topicId'>[] {
  const named = LANGUAGES.get(language) ?? EN;
  return STARTER_KEYS.map((key) => ({
    name: named[key].name,
    description: undefined,
    keywords: new Map([...LANGUAGES].map(([code, words]) => [code, keywordList(words[key].keywords)])),
  }));
}

function keywordList(keywords: string): readonly string[] {
  return keywords.trim().split(/\s*,\s*/u);
}

type Keywords = Readonly<Record<string, string>>;

// Narrow topics first: Canteen is also a keyword of a wider one.
const NARROW_BY_WORD = byWord(NARROW_TOPICS.map((words) => [words, Object.values(words).flatMap(keywordList)]));
const STARTERS_BY_WORD = byWord(
  STARTER_KEYS.map((key) => {
    const named = [...LANGUAGES].map(([language, words]) => [language, words[key]] as const);
    const keywords = Object.fromEntries(named.map(([language, words]) => [language, words.keywords]));
    return [keywords, named.flatMap(([, words]) => [words.name, ...nameParts(words.name), ...keywordList(words.keywords)])];
  }),
);

/**
 * Returns keywords in all five languages for a topic that has only a name: those of the usual
 * topics whose name or keyword it is, or of which it has a word. Without such a topic there are
 * none.
 */
export function suggestedKeywords(name: string): Readonly<Record<string, readonly string[]>> {
  const parts = [name, ...nameParts(name)];
  const found = new Set(parts.flatMap(usualTopics));
  if (found.size === 0) for (const topic of parts.flatMap(contentWords).flatMap(usualTopics)) found.add(topic);
  if (found.size === 0) return {};
  const languages = [...LANGUAGES.keys()].map((language) => {
    const keywords = [...found].flatMap((topic) => keywordList(topic[language] ?? ''));
    return [language, [...new Set(keywords)]] as const;
  });
  return Object.fromEntries(languages);
}

function usualTopics(word: string): readonly Keywords[] {
  return NARROW_BY_WORD.get(fold(word)) ?? STARTERS_BY_WORD.get(fold(word)) ?? [];
}

function byWord(topics: readonly (readonly [Keywords, readonly string[]])[]): ReadonlyMap<string, readonly Keywords[]> {
  const found = new Map<string, Keywords[]>();
  for (const [topic, words] of topics)
    for (const word of new Set(words.map(fold))) found.set(word, [...(found.get(word) ?? []), topic]);
  return found;
}
