import { readWords } from '../words/read-words.ts';
import type { AssignedTopic, Categoriser, TopicView } from './categoriser.ts';
import { compileMatcher, type KeywordHit, type KeywordMatcher } from './keyword-matcher.ts';

type ByLanguage = Map<string, KeywordMatcher>;

/** Finds topics by their keywords; nothing leaves the process. */
export function createEmbeddedCategoriser(): Categoriser {
  const matchers = new WeakMap<readonly TopicView[], ByLanguage>();
  return {
    version: 'keywords-1',
    assign: ({ text, language, topics }) => {
      const hits = matcherFor(matchers, topics, language).find(readWords(text, language));
      return Promise.resolve(topics.flatMap((topic, index) => assignment(topic, index, hits)));
    },
  };
}

function assignment({ topicId }: TopicView, index: number, hits: readonly KeywordHit[]): readonly AssignedTopic[] {
  // `working time` and `time` at one place say it once.
  const places = new Set(hits.filter((hit) => hit.topic === index).map((hit) => hit.word)).size;
  return places === 0 ? [] : [{ topicId, score: places / (places + 0.5) }];
}

function matcherFor(
  known: WeakMap<readonly TopicView[], ByLanguage>,
  topics: readonly TopicView[],
  language: string,
): KeywordMatcher {
  const byLanguage = known.get(topics) ?? new Map<string, KeywordMatcher>();
  known.set(topics, byLanguage);
  const matcher = byLanguage.get(language) ?? compileMatcher(topics, language);
  byLanguage.set(language, matcher);
  return matcher;
}
