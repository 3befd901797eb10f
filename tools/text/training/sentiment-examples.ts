import { join } from 'node:path';
import type { Sentiment } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';
import type { TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import { compileMatcher } from '@survey/text-analysis/topics/keyword-matcher.ts';
import type { Place } from '@survey/text-analysis/sentiment/weigh-clauses.ts';
import type { Word } from '@survey/text/words/read-words.ts';
import { RESTAURANT_TOPICS } from '../evaluation/restaurant-topics.ts';
import { type Example, exampleOf } from './example.ts';
import { readHrSentences, readOpinionWords } from './read-hr-sentences.ts';
import { type LabelledText, readMAbsa } from './read-m-absa.ts';
import { readSentences } from './read-xml.ts';

/**
 * Domains of M-ABSA for training. The licence of restaurant and laptop permits only evaluation.
 * Sight lowers the accuracy in other domains, because a third of its pairs are neutral.
 */
export const SHIPPING_DOMAINS = ['coursera', 'food', 'hotel', 'phone'] as const;

// The model is for survey answers, of which there are few. MAMS covers one domain and has many
// neutral asides.
const HR_IMPORTANCE = 3;
const WORD_IMPORTANCE = 2;
const MAMS_IMPORTANCE = 0.5;

// Reviews are mostly positive; survey answers are not.
const LABEL_IMPORTANCE: Readonly<Record<Sentiment, number>> = { positive: 1, negative: 1.7, neutral: 3 };
// Half of our own answers are neutral.
const HR_LABEL_IMPORTANCE = { ...LABEL_IMPORTANCE, neutral: 1.5 };

/** Returns all training examples of the shipped model of a language. */
export function sentimentExamples(data: string, language: string, answers = readHrSentences(language)): readonly Example[] {
  const reviews = SHIPPING_DOMAINS.flatMap((domain) => [
    ...readMAbsa(data, domain, language, 'train'),
    ...readMAbsa(data, domain, language, 'dev'),
  ]);
  const mams = language === 'en' ? readSentences(join(data, 'mams', 'acsa_train.xml')) : [];
  return [
    ...weighed(reviews, 1, LABEL_IMPORTANCE).map((pair) => exampleOf(pair, language, pair.importance)),
    ...weighed(answers, HR_IMPORTANCE, HR_LABEL_IMPORTANCE).map((pair) => exampleOf(pair, language, pair.importance)),
    ...weighed(readOpinionWords(language), WORD_IMPORTANCE, LABEL_IMPORTANCE).map((pair) =>
      exampleOf(pair, language, pair.importance),
    ),
    ...weighed(mams, MAMS_IMPORTANCE, { ...LABEL_IMPORTANCE, neutral: 1 }).map((pair) =>
      exampleOf(pair, language, pair.importance, placesOf),
    ),
  ];
}

function weighed(texts: readonly LabelledText[], importance: number, byLabel: Readonly<Record<Sentiment, number>>) {
  const pairs = texts.flatMap((text) => text.pairs);
  return pairs.flatMap(({ label, ...pair }) =>
    label === 'conflict' ? [] : [{ ...pair, label, importance: importance * byLabel[label] }],
  );
}

const matchers = new Map(RESTAURANT_TOPICS.map((topic: TopicView) => [topic.name, compileMatcher([topic], 'en')]));

const placesOf = (words: readonly Word[], category: string): readonly Place[] =>
  matchers
    .get(category)
    ?.find(words)
    .map(({ word, length }) => ({ start: word, end: word + length })) ?? [];
