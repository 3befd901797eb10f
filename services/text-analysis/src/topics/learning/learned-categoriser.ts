import type { Categoriser, TopicView } from '../categoriser.ts';
import { createMatcherCache } from '../matcher-cache.ts';
import { readEvidence } from './read-evidence.ts';
import { chooseTopics, readTopicModel, topicChances, type TopicModel, UNLEARNED } from './topic-model.ts';

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
