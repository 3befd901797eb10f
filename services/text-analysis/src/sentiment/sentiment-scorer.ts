import type { TopicView } from '../topics/categoriser.ts';

export type Sentiment = 'positive' | 'neutral' | 'negative';

/**
 * Scores the sentiment of an answer towards one of its topics (interface: sentiment belongs to the
 * pair of answer and topic).
 */
export interface SentimentScorer {
  // Changes whenever the same pair could get another sentiment.
  readonly version: string;
  /**
   * Returns a `score` in [-1, 1]. `label` is null when the pair cannot be scored; neutral needs
   * evidence.
   */
  score(pair: {
    readonly text: string;
    readonly language: string;
    // Question text; it shows whether a bare "the pay" is praise or criticism.
    readonly question: string | undefined;
    readonly topic: TopicView;
  }): Promise<PairSentiment>;
}

export interface PairSentiment {
  readonly label: Sentiment | null;
  readonly score: number;
}
