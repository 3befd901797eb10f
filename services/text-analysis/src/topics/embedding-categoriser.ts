import { z } from 'zod';
import type { ModelEndpoint } from '../model-endpoint.ts';
import type { AssignedTopic, Categoriser, TopicView } from './categoriser.ts';

const embeddings = z.object({ data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()).min(1) })) });

interface EmbeddingSettings {
  readonly model: string;
  // Minimum cosine between a sentence and a topic's description; depends on the model.
  readonly threshold: number;
}

// Sentences of a very long answer are joined, so that one request holds them all.
const MAX_SENTENCES = 32;

type Vector = readonly number[];

/**
 * Finds topics with a customer's embedding model: those whose description is near to a sentence of
 * the answer. Used only for accounts that have enabled it. The caller must pass masked text,
 * because it leaves the process. `embedded` is the fallback for failures, timeouts and invalid
 * output.
 */
export function createEmbeddingCategoriser(
  endpoint: ModelEndpoint,
  settings: EmbeddingSettings,
  embedded: Categoriser,
): Categoriser {
  const described = new WeakMap<readonly TopicView[], Promise<readonly Vector[]>>();
  const vectorsOf = (topics: readonly TopicView[]): Promise<readonly Vector[]> => {
    const vectors = described.get(topics) ?? embed(endpoint, settings.model, topics.map(describe));
    described.set(topics, vectors);
    // A failed request is repeated for the next answer.
    vectors.catch(() => described.delete(topics));
    return vectors;
  };
  const ask: Categoriser['assign'] = async ({ text, topics }) => {
    const [near, sentences] = await Promise.all([vectorsOf(topics), embed(endpoint, settings.model, sentencesOf(text))]);
    return topics.flatMap(({ topicId }, index) => nearest(topicId, near[index] ?? [], sentences, settings.threshold));
  };
  return {
    version: `embedding-1:${settings.model}:${settings.threshold}:${embedded.version}`,
    assign: (answer) =>
      answer.topics.length === 0 || answer.text.trim() === ''
        ? Promise.resolve([])
        : endpoint.orElse(
            () => ask(answer),
            () => embedded.assign(answer),
          ),
  };
}

const describe = ({ name, description, keywords }: TopicView): string =>
  [name, description ?? '', [...keywords.values()].map((words) => words.slice(0, 10).join(', ')).join(', ')]
    .filter((part) => part !== '')
    .join('. ');

function sentencesOf(text: string): readonly string[] {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/u).filter((sentence) => sentence.trim() !== '');
  const size = Math.ceil(sentences.length / MAX_SENTENCES);
  return Array.from({ length: Math.min(sentences.length, MAX_SENTENCES) }, (_, at) =>
    sentences.slice(at * size, (at + 1) * size).join(' '),
  ).filter((part) => part !== '');
}

async function embed(endpoint: ModelEndpoint, model: string, input: readonly string[]): Promise<readonly Vector[]> {
  const { data } = await endpoint.post('/embeddings', { model, input }, embeddings);
  const vectors = new Map(data.map(({ index, embedding }) => [index, embedding]));
  return input.map((_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw new Error('cannot use the embeddings: vector missing');
    return vector;
  });
}

function nearest(topicId: number, topic: Vector, sentences: readonly Vector[], threshold: number): readonly AssignedTopic[] {
  const score = Math.max(...sentences.map((sentence) => cosine(topic, sentence)));
  return score >= threshold && score > 0 ? [{ topicId, score: Math.min(1, score) }] : [];
}

function cosine(one: Vector, other: Vector): number {
  if (one.length !== other.length) throw new Error('cannot use the embeddings: vectors differ in length');
  const [ones, others] = [Math.hypot(...one), Math.hypot(...other)];
  return ones === 0 || others === 0
    ? 0
    : one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0) / (ones * others);
}
