import type { Evidence } from './read-evidence.ts';
import { chance, type TopicModel, UNLEARNED } from './topic-model.ts';

/**
 * Answer with a label per topic, in topic order: applies, does not apply, or undefined (not
 * reviewed).
 */
export interface LabelledEvidence {
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
export function fitTopics(topicIds: readonly number[], answers: readonly LabelledEvidence[]): TopicModel {
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
  const least = answers.length >= MANY_ANSWERS ? 2 : 1;
  const kept = [...counts].filter(([, count]) => count >= least).map(([bucket]) => bucket);
  return new Map(kept.sort((a, b) => a - b).map((bucket, row) => [bucket, row]));
}

interface Vector {
  readonly rows: Int32Array;
  readonly values: Float64Array;
  readonly keywords: readonly number[];
  readonly labels: LabelledEvidence['labels'];
}

function vectorOf({ evidence, labels }: LabelledEvidence, rows: ReadonlyMap<number, number>): Vector {
  const { buckets, weights, keywords } = evidence;
  const known = [...buckets.keys()].filter((index) => rows.has(buckets[index] ?? -1));
  return {
    rows: Int32Array.from(known, (index) => rows.get(buckets[index] ?? -1) ?? 0),
    values: Float64Array.from(known, (index) => weights[index] ?? 0),
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
