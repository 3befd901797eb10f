import type { TopicView } from '../topics/categoriser.ts';

export type Sentiment = 'positive' | 'neutral' | 'negative';

/** Says how an answer speaks of one of its topics (interface: sentiment belongs to the pair of answer and topic). */
export interface SentimentScorer {
  // Changes whenever the same pair could get another sentiment.
  readonly version: string;
  /** `label` is null when the pair cannot be scored; neutral is a finding and needs evidence. `score` lies in [-1, 1]. */
  score(pair: {
    readonly text: string;
    readonly language: string;
    // What the survey asked; it tells how a bare "the pay" is meant.
    readonly question: string | undefined;
    readonly topic: TopicView;
  }): Promise<PairSentiment>;
}

export interface PairSentiment {
  readonly label: Sentiment | null;
  readonly score: number;
}
