import type { Sentiment } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';

/** Text with its sentiment towards one of its subjects. */
export interface LabelledPair {
  readonly text: string;
  // Position of the subject in the text (UTF-16 offsets); undefined when the text does not name it.
  readonly target: { readonly start: number; readonly end: number } | undefined;
  readonly category: string;
  readonly label: Sentiment | 'conflict';
}
