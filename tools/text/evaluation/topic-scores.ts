import type { Categoriser, TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import type { TopicExample } from '@survey/text-analysis/topics/learning/train-topics.ts';
import type { LabelledText } from '../training/read-m-absa.ts';
import type { Outcome } from './micro-f1.ts';

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
 * Compares the assigned topics of each text with its own. `otherwise` is the topic of texts without
 * a match, for sets in which every text has a topic.
 */
export async function topicOutcomes(
  categoriser: Categoriser,
  topics: readonly TopicView[],
  examples: readonly TopicExample[],
  otherwise?: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { text, language, present } of examples) {
    const found = (await categoriser.assign({ text, language, topics })).map(({ topicId }) => topicId);
    const assigned = found.length === 0 && otherwise !== undefined ? [otherwise] : found;
    const right = assigned.filter((topicId) => present.includes(topicId)).length;
    outcomes.push({ right, chosen: assigned.length, present: present.length });
  }
  return outcomes;
}
