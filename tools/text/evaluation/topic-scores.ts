import type { Categoriser, TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import type { TopicExample } from '@survey/text-analysis/topics/learning/topic-example.ts';
import type { LabelledText } from '../training/read-m-absa.ts';

/** A set's texts as corrections: every topic was looked at. */
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

/** Micro-averaged F1 in per cent. `otherwise` is the topic of a text that gets none, in sets whose every text has one. */
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
