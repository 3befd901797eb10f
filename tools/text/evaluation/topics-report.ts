import { join } from 'node:path';
import type { SentimentScorer } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';
import type { TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import { createEmbeddedCategoriser } from '@survey/text-analysis/topics/embedded-categoriser.ts';
import { createLearnedCategoriser } from '@survey/text-analysis/topics/account-categorisers.ts';
import { type TopicExample, trainTopics } from '@survey/text-analysis/topics/learning/train-topics.ts';
import { readMAbsa } from '../training/read-m-absa.ts';
import { readSentences } from '../training/read-xml.ts';
import { shuffled } from '../training/shuffled.ts';
import { added, microF1, type Outcome } from './micro-f1.ts';
import { RESTAURANT_TOPICS } from './restaurant-topics.ts';
import { examplesOf, topicOutcomes } from './topic-scores.ts';

const MISCELLANEOUS = 99;
const bare = (name: string, topicId: number): TopicView => ({ topicId, name, keywords: new Map() });
const SEMEVAL_TOPICS = [
  ...RESTAURANT_TOPICS.filter(({ name }) => ['food', 'service', 'price', 'ambience'].includes(name)),
  bare('anecdotes/miscellaneous', MISCELLANEOUS),
];
const SEEDS = [1, 2, 3];

/**
 * Reports SemEval-2014 in five folds of the training file, because the test file is not available.
 */
export async function semevalTopics(data: string): Promise<readonly (readonly string[])[]> {
  const examples = examplesOf(readSentences(join(data, 'semeval2014', 'Restaurants_Train_v2.xml')), SEMEVAL_TOPICS, 'en');
  const [test, train] = [examples.filter((_, index) => index % 5 === 0), examples.filter((_, index) => index % 5 !== 0)];
  const names = SEMEVAL_TOPICS.map(({ topicId, name }) => bare(name, topicId));
  const embedded = createEmbeddedCategoriser();
  const row = (what: string, outcomes: readonly Outcome[], goal: string) => [
    `SemEval-14 topics, ${what}`,
    microF1(outcomes),
    goal,
  ];
  return [
    row('topic names', await topicOutcomes(embedded, names, examples, MISCELLANEOUS), ''),
    row('keywords', await topicOutcomes(embedded, SEMEVAL_TOPICS, examples, MISCELLANEOUS), '≥ 78'),
    row('keywords + 200 labels', await learnedOutcomes(SEMEVAL_TOPICS, train, test, 200), '≥ 81'),
    row(`keywords + ${train.length} labels`, await learnedOutcomes(SEMEVAL_TOPICS, train, test, train.length), '≥ 86'),
  ];
}

// Over several draws of this number of labels.
async function learnedOutcomes(
  topics: readonly TopicView[],
  train: readonly TopicExample[],
  test: readonly TopicExample[],
  labels: number,
): Promise<Outcome[]> {
  const seeds = labels < train.length ? SEEDS : [1];
  const runs: Outcome[][] = [];
  for (const seed of seeds) {
    const { model } = trainTopics(topics, shuffled(train, seed).slice(0, labels));
    runs.push(await topicOutcomes(createLearnedCategoriser(model, 'evaluated'), topics, test, MISCELLANEOUS));
  }
  return added(runs);
}

/**
 * Reports M-ABSA restaurant and laptop, trained on their training part: the sets have no keywords
 * in any language.
 */
export async function mAbsaTopics(data: string, domain: string, language: string): Promise<string> {
  const [train, test] = (['train', 'dev'] as const).map((part) =>
    readMAbsa(data, domain, language, part).filter(({ pairs }) => pairs.length > 0),
  );
  const names = new Set(train?.flatMap(({ pairs }) => pairs.map(({ category }) => category)));
  const topics = [...names].map(bare);
  const { model } = trainTopics(topics, examplesOf(train ?? [], topics, language));
  const learned = createLearnedCategoriser(model, 'evaluated');
  return microF1(await topicOutcomes(learned, topics, examplesOf(test ?? [], topics, language)));
}

/** Reports SemEval-2014 pairs with both topic (by keywords) and sentiment correct. */
export async function jointScore(data: string, scorer: SentimentScorer): Promise<string> {
  const categoriser = createEmbeddedCategoriser();
  const outcomes: Outcome[] = [];
  for (const { text, pairs } of readSentences(join(data, 'semeval2014', 'Restaurants_Train_v2.xml'))) {
    const assigned = await categoriser.assign({ text, language: 'en', topics: SEMEVAL_TOPICS });
    const ids = assigned.length === 0 ? [MISCELLANEOUS] : assigned.map(({ topicId }) => topicId);
    const topics = SEMEVAL_TOPICS.filter(({ topicId }) => ids.includes(topicId));
    const gold = pairs.map(({ category, label }) => `${category} ${label}`);
    const found: string[] = [];
    for (const topic of topics)
      found.push(`${topic.name} ${String((await scorer.score({ text, language: 'en', question: undefined, topic })).label)}`);
    const right = found.filter((pair) => gold.includes(pair)).length;
    outcomes.push({ right, chosen: found.length, present: gold.length });
  }
  return microF1(outcomes);
}
