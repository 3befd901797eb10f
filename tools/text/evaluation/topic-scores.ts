import type { Categoriser, TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import type { TopicExample } from '@survey/text-analysis/topics/learning/topic-example.ts';
import type { LabelledText } from '../training/read-m-absa.ts';

/** Converts a set's texts to corrections in which every topic was reviewed. */
export function examplesOf(
  texts: readonly LabelledText[],
  topics: readonly TopicView[],
  language: string,
): readonly TopicExample[] {
  const ids = topics.map(({ topicId }) => topicId);
  return texts.map(({ text, pairs }) => {
    const present = topics.filter(({ name }) => pairs.some(({ category }) => category === name)).map(({ topicId }) => topicId);
    return { text, language, present, absent: ids.filter((id) => !present.includes(id)) };
  });
}

/**
 * Returns the micro-averaged F1 in percent. `otherwise` is the topic of texts without a match, for
 * sets in which every text has a topic.
 */
export async function topicF1(
  categoriser: Categoriser,
  topics: readonly TopicView[],
  examples: readonly TopicExample[],
  otherwise?: number,
): Promise<number> {
  let [right, chosen, present] = [0, 0, 0];
  for (const example of examples) {
    const found = (await categoriser.assign({ text: example.text, language: example.language, topics })).map(
      ({ topicId }) => topicId,
    );
    const assigned = found.length === 0 && otherwise !== undefined ? [otherwise] : found;
    right += assigned.filter((topicId) => example.present.includes(topicId)).length;
    chosen += assigned.length;
    present += example.present.length;
  }
  return (200 * right) / Math.max(1, chosen + present);
}
