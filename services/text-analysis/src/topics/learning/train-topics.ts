import type { TopicView } from '../categoriser.ts';
import { createMatcherCache } from '../matcher-cache.ts';
import { type Evidence, readEvidence } from './read-evidence.ts';
import { chance, chooseTopics, topicChances, type TopicModel, UNLEARNED, writeTopicModel } from './topic-model.ts';

/**
 * Assignments and removals of an account admin for an answer; topics in neither list were not
 * reviewed.
 */
export interface TopicExample {
  readonly text: string;
  readonly language: string;
  readonly present: readonly number[];
  readonly absent: readonly number[];
}

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
    for (const answer of unseen) {
      byKeywords.push(count(unlearned, answer));
      byModel.push(count(model, answer));
    }
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

/**
 * Answer with a label per topic, in topic order: applies, does not apply, or undefined (not
 * reviewed).
 */
interface LabelledEvidence {
  readonly evidence: Evidence;
  readonly labels: readonly (boolean | undefined)[];
}

const EPOCHS = 10;
const RATE = 0.2;
const DECAY = 1e-4;
// Biases and keyword weights start at their defaults and change slowly.
const KEYWORD_RATE = 0.1;
// From this number of answers on, features that occur in only one answer are dropped.
const MANY_ANSWERS = 300;

/**
 * Fits a logistic regression per topic that starts at the keyword weights. AdaGrad in the given
 * order.
 */
function fitTopics(topicIds: readonly number[], answers: readonly LabelledEvidence[]): TopicModel {
  const rows = knownBuckets(answers);
  const vectors = answers.map((answer) => vectorOf(answer, rows));
  const parts = topicIds.map((_, topic) => fitTopic(topic, vectors, rows.size));
  const largest = parts.reduce((most, { weights }) => weights.reduce((top, weight) => Math.max(top, Math.abs(weight)), most), 0);
  const step = largest / 127 || 1;
  const weights = new Int8Array(rows.size * parts.length);
  for (const [topic, part] of parts.entries()) {
    for (const [row, weight] of part.weights.entries()) weights[row * parts.length + topic] = Math.round(weight / step);
  }
  const topics = topicIds.map((topicId, topic) => ({
    topicId,
    base: UNLEARNED.base,
    keyword: UNLEARNED.keyword,
    ...learned(parts[topic]),
  }));
  return { topics, step, rows, weights };
}

function knownBuckets(answers: readonly LabelledEvidence[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { evidence } of answers) for (const bucket of evidence.buckets) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  const minAnswers = answers.length >= MANY_ANSWERS ? 2 : 1;
  const buckets = [...counts].filter(([, count]) => count >= minAnswers).map(([bucket]) => bucket);
  return new Map(buckets.sort((a, b) => a - b).map((bucket, row) => [bucket, row]));
}

interface Vector {
  readonly rows: Int32Array;
  readonly values: Float64Array;
  readonly keywords: readonly number[];
  readonly labels: LabelledEvidence['labels'];
}

function vectorOf({ evidence, labels }: LabelledEvidence, rows: ReadonlyMap<number, number>): Vector {
  const { buckets, weights, keywords } = evidence;
  const indexes = [...buckets.keys()].filter((index) => rows.has(buckets[index] ?? -1));
  return {
    rows: Int32Array.from(indexes, (index) => rows.get(buckets[index] ?? -1) ?? 0),
    values: Float64Array.from(indexes, (index) => weights[index] ?? 0),
    keywords,
    labels,
  };
}

interface Part {
  base: number;
  keyword: number;
  readonly weights: Float64Array;
}

const learned = (part: Part | undefined) => (part === undefined ? {} : { base: part.base, keyword: part.keyword });

function fitTopic(topic: number, answers: readonly Vector[], rowCount: number): Part {
  const part: Part = { ...UNLEARNED, weights: new Float64Array(rowCount) };
  const squares = new Float64Array(rowCount).fill(1e-3);
  const judged = answers.filter(({ labels }) => labels[topic] !== undefined);
  let squareSum = 1;
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (const answer of judged) {
      const keyword = answer.keywords[topic] ?? 0;
      const error =
        chance(part.base + part.keyword * keyword + dot(part.weights, answer)) - (answer.labels[topic] === true ? 1 : 0);
      descend(part.weights, squares, answer, error);
      squareSum += error * error;
      part.base -= (KEYWORD_RATE * error) / Math.sqrt(squareSum);
      part.keyword -= (KEYWORD_RATE * error * keyword) / Math.sqrt(squareSum);
    }
  }
  return part;
}

function dot(weights: Float64Array, { rows, values }: Vector): number {
  let sum = 0;
  for (let index = 0; index < rows.length; index += 1) sum += (weights[rows[index] ?? 0] ?? 0) * (values[index] ?? 0);
  return sum;
}

function descend(weights: Float64Array, squares: Float64Array, { rows, values }: Vector, error: number): void {
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    const before = weights[row] ?? 0;
    const gradient = error * (values[index] ?? 0) + DECAY * before;
    const square = (squares[row] ?? 0) + gradient * gradient;
    squares[row] = square;
    weights[row] = before - (RATE * gradient) / Math.sqrt(square);
  }
}
