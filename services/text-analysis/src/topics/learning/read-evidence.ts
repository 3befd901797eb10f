import { BUCKETS, hash, wordFeatures } from '@survey/text/words/word-features.ts';
import { readWords, type Word } from '@survey/text/words/read-words.ts';
import type { TopicView } from '../categoriser.ts';
import type { KeywordMatcher } from '../keyword-matcher.ts';

/** Features of an answer that topics are predicted from. */
export interface Evidence {
  // Distinct feature buckets, and their weights.
  readonly buckets: readonly number[];
  readonly weights: readonly number[];
  // Keyword strength by topic: 0 without a match, 1 for one match, up to 2 for several.
  readonly keywords: readonly number[];
}

// Relative to all words of the answer together, which weigh 1.
const KEYWORD_WEIGHT = 0.7;

export function readEvidence(text: string, language: string, topics: readonly TopicView[], matcher: KeywordMatcher): Evidence {
  const words = readWords(text, language);
  const keywordWords = topics.map(() => new Set<number>());
  for (const { topic, word } of matcher.find(words)) keywordWords[topic]?.add(word);
  const features = wordVector(words);
  // One topic's keywords are evidence for the others too, and so is an answer without any keyword.
  const topicFeatures = topics.filter((_, index) => (keywordWords[index]?.size ?? 0) > 0).map(({ topicId }) => `k${topicId}`);
  for (const name of topicFeatures.length === 0 ? ['k'] : topicFeatures) features.set(hash(name, BUCKETS), KEYWORD_WEIGHT);
  return {
    buckets: [...features.keys()],
    weights: [...features.values()],
    keywords: keywordWords.map(({ size }) => (size === 0 ? 0 : 2 - 1 / size)),
  };
}

// Normalises the vector to length 1.
function wordVector(words: readonly Word[]): Map<number, number> {
  const sums = new Map<number, number>();
  const { buckets, weights } = wordFeatures(words, { start: 0, end: words.length });
  for (const [index, bucket] of buckets.entries()) sums.set(bucket, (sums.get(bucket) ?? 0) + (weights[index] ?? 0));
  const length = Math.sqrt([...sums.values()].reduce((sum, weight) => sum + weight * weight, 0));
  for (const [bucket, weight] of sums) sums.set(bucket, weight / length);
  return sums;
}
