import type { SentimentScorer } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';
import type { TopicView } from '@survey/text-analysis/topics/categoriser.ts';
import type { LabelledPair } from '../training/labelled-pair.ts';

export interface PolarityScores {
  readonly pairs: number;
  // Accuracy in percent: with conflict counted as wrong, without conflict, and without conflict and
  // neutral (the more probable of the other two labels).
  readonly fourWay: number;
  readonly threeWay: number;
  readonly binary: number;
  // Share of the most frequent of the three labels.
  readonly majority: number;
  // Recall of negative and neutral in percent.
  readonly negative: number;
  readonly neutral: number;
  // Share of positive and negative pairs that take the label of the opposite question, in percent.
  readonly turned: number;
}

// The scorer reads the leaning of a question in any language.
const OPPOSITE = { positive: 'What should we improve?', negative: 'What do you like?' };

/** Scores each pair by the topic of its category. */
export async function polarityScores(
  scorer: SentimentScorer,
  pairs: readonly LabelledPair[],
  language: string,
  topicOf: (category: string) => TopicView,
): Promise<PolarityScores> {
  const judged: { label: LabelledPair['label']; found: string | null; score: number; isTurned: boolean }[] = [];
  for (const { text, category, label } of pairs) {
    const topic = topicOf(category);
    const { label: found, score } = await scorer.score({ text, language, question: undefined, topic });
    const opposite = label === 'positive' || label === 'negative' ? OPPOSITE[label] : undefined;
    const { label: asked } = await scorer.score({ text, language, question: opposite, topic });
    judged.push({ label, found, score, isTurned: asked !== 'neutral' && asked !== found });
  }
  const clear = judged.filter(({ label }) => label !== 'conflict');
  const polar = clear.filter(({ label }) => label !== 'neutral');
  const recall = (wanted: string) =>
    share(
      clear.filter(({ label }) => label === wanted),
      ({ found }) => found === wanted,
    );
  return {
    pairs: judged.length,
    fourWay: share(judged, ({ label, found }) => label === found),
    threeWay: share(clear, ({ label, found }) => label === found),
    binary: share(polar, ({ label, score }) => (score >= 0 ? 'positive' : 'negative') === label),
    majority: Math.max(...['positive', 'neutral', 'negative'].map((one) => share(clear, ({ label }) => label === one))),
    negative: recall('negative'),
    neutral: recall('neutral'),
    turned: share(polar, ({ isTurned }) => isTurned),
  };
}

const share = <T>(items: readonly T[], is: (item: T) => boolean): number =>
  (100 * items.filter(is).length) / Math.max(1, items.length);
