import type { TopicView } from './categoriser.ts';
import { DE } from './starter/de.ts';
import { EN } from './starter/en.ts';
import { ES } from './starter/es.ts';
import { FR } from './starter/fr.ts';
import { NL } from './starter/nl.ts';
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

const keywordList = (keywords: string): readonly string[] => keywords.trim().split(/\s*,\s*/u);
