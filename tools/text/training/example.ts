import { wordFeatures } from '@survey/text/words/word-features.ts';
import { negatorsOf } from '@survey/text-analysis/sentiment/negation.ts';
import type { Sentiment } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';
import { clauseShares, featureWeights, type Place, splitClauses } from '@survey/text-analysis/sentiment/weigh-clauses.ts';
import { readWords, type Word } from '@survey/text/words/read-words.ts';
import type { LabelledPair } from './labelled-pair.ts';

export interface Example {
  readonly buckets: Int32Array;
  readonly weights: Float32Array;
  readonly label: Sentiment;
  readonly importance: number;
}

/**
 * Computes the scorer's features of a pair. `places` finds the words about its category when the
 * data do not mark them.
 */
export function exampleOf(
  pair: LabelledPair & { readonly label: Sentiment },
  language: string,
  importance: number,
  places: (words: readonly Word[], category: string) => readonly Place[] = () => [],
): Example {
  const words = readWords(pair.text, language);
  const clauses = splitClauses(words, language);
  const named = pair.target === undefined ? places(words, pair.category) : [targetPlace(pair.text, pair.target, language)];
  const counts = featureWeights(clauses, clauseShares(clauses, named));
  const sums = new Map<number, number>();
  for (const [index, clause] of clauses.entries()) {
    const { buckets, weights } = wordFeatures(words, clause, { negators: negatorsOf(language) });
    for (const [at, bucket] of buckets.entries())
      sums.set(bucket, (sums.get(bucket) ?? 0) + (weights[at] ?? 0) * (counts[index] ?? 0));
  }
  return { buckets: Int32Array.from(sums.keys()), weights: Float32Array.from(sums.values()), label: pair.label, importance };
}

function targetPlace(text: string, { start, end }: { start: number; end: number }, language: string): Place {
  const first = readWords(text.slice(0, start), language).length;
  return { start: first, end: Math.max(first + 1, readWords(text.slice(0, end), language).length) };
}
