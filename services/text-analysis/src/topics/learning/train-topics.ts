import type { TopicView } from '../categoriser.ts';
import { createMatcherCache } from '../matcher-cache.ts';
import { chooseTopics } from './choose-topics.ts';
import { fitTopics, type LabelledEvidence } from './fit-topics.ts';
import { readEvidence } from './read-evidence.ts';
import type { TopicExample } from './topic-example.ts';
import { topicChances, type TopicModel, UNLEARNED, writeTopicModel } from './topic-model.ts';

interface TrainingReport {
  readonly examples: number;
  // Micro-averaged F1 on held-out examples, of the keywords alone and of the model.
  readonly keywordsF1: number;
  readonly learnedF1: number;
  // Whether the model beats the keywords on held-out corrections and should become active.
  readonly improves: boolean;
}

const FOLDS = 5;
// Held-out examples that suffice for a comparison; further folds are skipped.
const ENOUGH_UNSEEN = 300;
// With fewer examples, a difference is not significant.
const FEWEST_EXAMPLES = 20;

/** Trains a topic model on account admins' assignments and removals. Deterministic to the byte. */
export function trainTopics(
  topics: readonly TopicView[],
  examples: readonly TopicExample[],
): { model: Uint8Array; report: TrainingReport } {
  const matcherOf = createMatcherCache();
  const topicIds = topics.map(({ topicId }) => topicId);
  const answers = examples.map(({ text, language, present, absent }) => ({
    evidence: readEvidence(text, language, topics, matcherOf(topics, language)),
    labels: topicIds.map((id) => (present.includes(id) ? true : absent.includes(id) ? false : undefined)),
  }));
  return { model: writeTopicModel(fitTopics(topicIds, answers)), report: crossValidate(topicIds, answers) };
}

function crossValidate(topicIds: readonly number[], answers: readonly LabelledEvidence[]): TrainingReport {
  const unlearned: TopicModel = {
    topics: topicIds.map((topicId) => ({ topicId, ...UNLEARNED })),
    step: 1,
    rows: new Map(),
    weights: new Int8Array(),
  };
  const folds = Math.max(1, Math.min(FOLDS, Math.ceil((FOLDS * ENOUGH_UNSEEN) / answers.length)));
  const byKeywords: Counts[] = [];
  const byModel: Counts[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const unseen = answers.filter((_, index) => index % FOLDS === fold);
    const model = fitTopics(
      topicIds,
      answers.filter((_, index) => index % FOLDS !== fold),
    );
    byKeywords.push(...unseen.map((answer) => count(unlearned, answer)));
    byModel.push(...unseen.map((answer) => count(model, answer)));
  }
  const [keywordsF1, learnedF1] = [f1(byKeywords), f1(byModel)];
  return {
    examples: answers.length,
    keywordsF1,
    learnedF1,
    improves: answers.length >= FEWEST_EXAMPLES && learnedF1 > keywordsF1,
  };
}

interface Counts {
  readonly right: number;
  readonly chosen: number;
  readonly present: number;
}

function count(model: TopicModel, { evidence, labels }: LabelledEvidence): Counts {
  const chosen = chooseTopics(topicChances(model, evidence)).filter((topic) => labels[topic] !== undefined);
  const right = chosen.filter((topic) => labels[topic] === true).length;
  return { right, chosen: chosen.length, present: labels.filter((label) => label === true).length };
}

function f1(counts: readonly Counts[]): number {
  const sum = (key: keyof Counts) => counts.reduce((total, one) => total + one[key], 0);
  return (2 * sum('right')) / Math.max(1, sum('chosen') + sum('present'));
}
