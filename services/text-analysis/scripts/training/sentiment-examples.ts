import { join } from 'node:path';
import type { TopicView } from '../../src/topics/categoriser.ts';
import { compileMatcher } from '../../src/topics/keyword-matcher.ts';
import type { Word } from '../../src/words/read-words.ts';
import { RESTAURANT_TOPICS } from '../evaluation/restaurant-topics.ts';
import { type Example, exampleOf } from './example.ts';
import type { LabelledPair } from './labelled-pair.ts';
import { readHrSentences } from './read-hr-sentences.ts';
import { readMAbsa } from './read-m-absa.ts';
import { readSentences } from './read-xml.ts';

/** The domains of M-ABSA whose licence lets trained weights ship; restaurant and laptop are for evaluation only. */
export const SHIPPING_DOMAINS = ['coursera', 'food', 'hotel', 'phone', 'sight'] as const;

// Answers to surveys are what the model is for, and there are few of them. MAMS is about one domain and full of neutral asides.
const HR_IMPORTANCE = 2;
const MAMS_IMPORTANCE = 0.5;

/** All that the shipped model of a language learns from. */
export function sentimentExamples(data: string, language: string): readonly Example[] {
  const reviews = SHIPPING_DOMAINS.flatMap((domain) => [
    ...readMAbsa(data, domain, language, 'train'),
    ...readMAbsa(data, domain, language, 'dev'),
  ]);
  const answers = readHrSentences(language);
  const mams = language === 'en' ? readSentences(join(data, 'mams', 'acsa_train.xml')) : [];
  return [
    ...reviews.flatMap(({ pairs }) => scored(pairs).map((pair) => exampleOf(pair, language, 1))),
    ...answers.flatMap(({ pairs }) => scored(pairs).map((pair) => exampleOf(pair, language, HR_IMPORTANCE))),
    ...mams.flatMap(({ pairs }) => scored(pairs).map((pair) => exampleOf(pair, language, MAMS_IMPORTANCE, placesOf))),
  ];
}

const scored = (pairs: readonly LabelledPair[]) =>
  pairs.flatMap((pair) => (pair.label === 'conflict' ? [] : [{ ...pair, label: pair.label }]));

const matchers = new Map(RESTAURANT_TOPICS.map((topic: TopicView) => [topic.name, compileMatcher([topic], 'en')]));

const placesOf = (words: readonly Word[], category: string): readonly number[] =>
  matchers
    .get(category)
    ?.find(words)
    .map(({ word }) => word) ?? [];
