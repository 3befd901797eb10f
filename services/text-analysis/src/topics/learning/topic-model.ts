import { z } from 'zod';
import type { Evidence } from './read-evidence.ts';

const topicPart = z.object({ topicId: z.int(), base: z.number(), keyword: z.number() });
const header = z.object({
  format: z.literal(1),
  step: z.number().positive(),
  buckets: z.int().nonnegative(),
  // Bounded: a model that this service has written.
  topics: z.array(topicPart),
});

/**
 * Topic model of an account: the weight of each feature for each topic, in addition to the topic's
 * keywords.
 */
export interface TopicModel {
  readonly topics: readonly z.infer<typeof topicPart>[];
  readonly step: number;
  // Row index by known bucket; a row has one weight per topic.
  readonly rows: ReadonlyMap<number, number>;
  readonly weights: Int8Array;
}

/** Weights of an untrained model, in which a matched keyword makes a topic more likely than not. */
export const UNLEARNED = { base: -2, keyword: 3 } as const;

/**
 * Returns each topic's probability. `evidence.keywords` must be in the order of the model's topics.
 */
export function topicChances(model: TopicModel, evidence: Evidence): readonly number[] {
  const sums = new Float64Array(model.topics.length);
  for (const [index, bucket] of evidence.buckets.entries()) {
    const row = model.rows.get(bucket);
    if (row === undefined) continue;
    const weight = (evidence.weights[index] ?? 0) * model.step;
    for (let topic = 0; topic < sums.length; topic += 1) {
      sums[topic] = (sums[topic] ?? 0) + weight * (model.weights[row * sums.length + topic] ?? 0);
    }
  }
  return model.topics.map(({ base, keyword }, topic) =>
    chance(base + keyword * (evidence.keywords[topic] ?? 0) + (sums[topic] ?? 0)),
  );
}

export const chance = (odds: number): number => 1 / (1 + Math.exp(-odds));

/**
 * Serialises a model: a line of JSON, the buckets (4 bytes each, little-endian), then their rows of
 * weights. Deterministic.
 */
export function writeTopicModel({ topics, step, rows, weights }: TopicModel): Uint8Array {
  const head = Buffer.from(`${JSON.stringify({ format: 1, step, buckets: rows.size, topics })}\n`);
  const buckets = Buffer.alloc(4 * rows.size);
  for (const [bucket, row] of rows) buckets.writeUInt32LE(bucket, 4 * row);
  return Buffer.concat([head, buckets, Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength)]);
}

/**
 * Reads the output of `writeTopicModel`.
 * @throws on any other bytes.
 */
export function readTopicModel(bytes: Uint8Array): TopicModel {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf('\n');
  const { step, topics, buckets } = header.parse(JSON.parse(buffer.subarray(0, end).toString()));
  const start = end + 1;
  const rest = start + 4 * buckets;
  if (buffer.length !== rest + buckets * topics.length)
    throw new Error('cannot read the topic model: length differs from its header; restore an earlier version');
  const rows = new Map(Array.from({ length: buckets }, (_, row) => [buffer.readUInt32LE(start + 4 * row), row]));
  return { topics, step, rows, weights: new Int8Array(buffer.subarray(rest)) };
}

// Below 0.5: a missed topic costs more than a wrong one, which an admin can remove.
const LIKELY = 0.35;

/** Returns the indexes of the topics whose probability is high enough. */
export function chooseTopics(chances: readonly number[]): readonly number[] {
  return chances.flatMap((chance, topic) => (chance >= LIKELY ? [topic] : []));
}
