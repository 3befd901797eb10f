import type { Sentiment } from '@survey/text-analysis/sentiment/sentiment-scorer.ts';

/** How a text speaks of something in it. */
export interface LabelledPair {
  readonly text: string;
  // Where the thing stands in the text (UTF-16 offsets); undefined when it is not named.
  readonly target: { readonly start: number; readonly end: number } | undefined;
  readonly category: string;
  readonly label: Sentiment | 'conflict';
}
