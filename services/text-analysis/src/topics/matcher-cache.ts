import type { TopicView } from './categoriser.ts';
import { compileMatcher, type KeywordMatcher } from './keyword-matcher.ts';

/** Compiles the keywords of each list of topics once per language, and forgets them when the list is gone. */
export function createMatcherCache(): (topics: readonly TopicView[], language: string) => KeywordMatcher {
  const known = new WeakMap<readonly TopicView[], Map<string, KeywordMatcher>>();
  return (topics, language) => {
    const byLanguage = known.get(topics) ?? new Map<string, KeywordMatcher>();
    known.set(topics, byLanguage);
    const matcher = byLanguage.get(language) ?? compileMatcher(topics, language);
    byLanguage.set(language, matcher);
    return matcher;
  };
}
