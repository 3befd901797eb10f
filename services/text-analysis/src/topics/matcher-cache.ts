import type { TopicView } from './categoriser.ts';
import { compileMatcher, type KeywordMatcher, type WordsOf } from './keyword-matcher.ts';

/**
 * Creates a cache that compiles the keywords of a topic list once per language, while the list
 * exists.
 */
export function createMatcherCache(wordsOf?: WordsOf): (topics: readonly TopicView[], language: string) => KeywordMatcher {
  const matchers = new WeakMap<readonly TopicView[], Map<string, KeywordMatcher>>();
  return (topics, language) => {
    const byLanguage = matchers.get(topics) ?? new Map<string, KeywordMatcher>();
    matchers.set(topics, byLanguage);
    const matcher = byLanguage.get(language) ?? compileMatcher(topics, language, wordsOf);
    byLanguage.set(language, matcher);
    return matcher;
  };
}
