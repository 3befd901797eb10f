import { readWords } from '@survey/text/words/read-words.ts';
import type { AssignedTopic } from './found-topics.ts';
import type { Categoriser, TopicView } from './categoriser.ts';
import type { KeywordHit } from './keyword-matcher.ts';
import { createMatcherCache } from './matcher-cache.ts';

/** Finds topics by their keywords. Runs in this process. */
export function createEmbeddedCategoriser(): Categoriser {
  const matcherOf = createMatcherCache();
  return {
    version: 'keywords-4',
    assign: ({ text, language, topics }) => {
      const hits = matcherOf(topics, language).find(readWords(text, language));
      return Promise.resolve(topics.flatMap((topic, index) => assignment(topic, index, hits)));
    },
  };
}

function assignment({ topicId }: TopicView, index: number, hits: readonly KeywordHit[]): readonly AssignedTopic[] {
  // `working time` and `time` at one index count once.
  const words = new Set(hits.filter((hit) => hit.topic === index).map((hit) => hit.word)).size;
  return words === 0 ? [] : [{ topicId, score: words / (words + 0.5) }];
}
