import type { Client } from '@survey/postgres/database.ts';
import { LRUCache } from 'lru-cache';
import { readTopicModelState, readModel } from './learning/topic-models.ts';
import type { Categoriser, TopicView } from './categoriser.ts';
import { createMatcherCache } from './matcher-cache.ts';
import { readEvidence } from './learning/read-evidence.ts';
import { chooseTopics, readTopicModel, topicChances, type TopicModel, UNLEARNED } from './learning/topic-model.ts';

/**
 * Selects the categoriser of an account: its active topic model, else the embedded one.
 */
export interface Categorisers {
  // Version of the shared categorisers.
  readonly modelVersion: string;
  readonly findCategoriser: (tx: Client, accountId: number) => Promise<Categoriser>;
}

// Cached topic models, each of some 100 kB.
const MAX_MODELS = 50;

export function accountCategorisers(embedded: Categoriser): Categorisers {
  const models = new LRUCache<string, Categoriser>({ max: MAX_MODELS });
  return {
    modelVersion: embedded.version,
    findCategoriser: async (tx, accountId) => {
      const { activeVersion, timeline } = await readTopicModelState(tx, accountId);
      if (activeVersion === null) return embedded;
      const key = `${accountId} ${activeVersion} ${timeline}`;
      const cached = models.get(key);
      if (cached !== undefined) return cached;
      const model = await readModel(tx, accountId, activeVersion);
      const learned = createLearnedCategoriser(model, `${embedded.version}+model-${activeVersion}`);
      models.set(key, learned);
      return learned;
    },
  };
}

/**
 * Finds topics by their keywords and the account's topic model. `bytes` is a model of
 * `trainTopics`; `version` names it. Topics created after the training use only their keywords.
 */
export function createLearnedCategoriser(bytes: Uint8Array, version: string): Categoriser {
  const model = readTopicModel(bytes);
  const matcherOf = createMatcherCache();
  const fitted = new WeakMap<readonly TopicView[], TopicModel>();
  return {
    version,
    assign: ({ text, language, topics }) => {
      const fittedModel = fitted.get(topics) ?? fitTo(model, topics);
      fitted.set(topics, fittedModel);
      const chances = topicChances(fittedModel, readEvidence(text, language, topics, matcherOf(topics, language)));
      return Promise.resolve(chooseTopics(chances).flatMap((at) => assignment(topics[at], chances[at])));
    },
  };
}

const assignment = (topic: TopicView | undefined, score: number | undefined) =>
  topic === undefined || score === undefined ? [] : [{ topicId: topic.topicId, score }];

// The model with its columns in the order of these topics.
function fitTo(model: TopicModel, topics: readonly TopicView[]): TopicModel {
  const columns = topics.map(({ topicId }) => model.topics.findIndex((part) => part.topicId === topicId));
  const weights = new Int8Array(model.rows.size * columns.length);
  for (let row = 0; row < model.rows.size; row += 1) {
    for (const [at, column] of columns.entries()) {
      weights[row * columns.length + at] = column < 0 ? 0 : (model.weights[row * model.topics.length + column] ?? 0);
    }
  }
  const parts = topics.map(({ topicId }, at) => model.topics[columns[at] ?? -1] ?? { topicId, ...UNLEARNED });
  return { ...model, topics: parts, weights };
}
