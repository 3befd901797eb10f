import { hash } from '@survey/text/words/hash.ts';
import { readWords, type Word } from '@survey/text/words/read-words.ts';
import { BUCKETS, wordFeatures } from '@survey/text/words/word-features.ts';
import { negatorsOf } from './negation.ts';
import type { SentimentModel } from './sentiment-models.ts';
import { type Clause, splitClauses } from './weigh-clauses.ts';

interface ReadClause extends Clause {
  // Log odds of positive and of negative against neutral, from the clause's words.
  readonly positive: number;
  readonly negative: number;
}

export interface ReadAnswer {
  readonly words: readonly Word[];
  readonly clauses: readonly ReadClause[];
  // Whether the model knows any of the words.
  readonly evidence: boolean;
}

/** Part of an answer's sentiment that is common to all of its topics. */
export function readAnswer(text: string, language: string, model: SentimentModel): ReadAnswer {
  const words = readWords(text, language);
  const negators = negatorsOf(language);
  const clauses = splitClauses(words, language).map((clause) => ({
    ...clause,
    ...weigh(wordFeatures(words, clause, negators), model),
  }));
  return { words, clauses, evidence: words.some((word) => isKnown(word, model)) };
}

function weigh(
  { buckets, weights }: ReturnType<typeof wordFeatures>,
  model: SentimentModel,
): { positive: number; negative: number } {
  let positive = 0;
  let negative = 0;
  for (const [index, bucket] of buckets.entries()) {
    const weight = weights[index] ?? 0;
    positive += weight * (model.weights[2 * bucket] ?? 0);
    negative += weight * (model.weights[2 * bucket + 1] ?? 0);
  }
  return { positive: positive * model.step, negative: negative * model.step };
}

function isKnown({ folded, stem }: Word, { weights }: SentimentModel): boolean {
  const buckets = [hash(`w${folded}`, BUCKETS), hash(`s${stem}`, BUCKETS)];
  return buckets.some((bucket) => weights[2 * bucket] !== 0 || weights[2 * bucket + 1] !== 0);
}
