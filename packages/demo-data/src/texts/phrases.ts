export const THEMES = ['management', 'pay', 'workload', 'team', 'tools', 'growth', 'communication', 'flexibility'] as const;

export type Theme = (typeof THEMES)[number];
export type Sentiment = 'positive' | 'neutral' | 'negative';

/** Plausible sentences, by theme and sentiment. */
type ThemePhrases = Readonly<Record<Theme, Readonly<Record<Sentiment, readonly string[]>>>>;

export interface Phrases {
  readonly themes: ThemePhrases;
  // Neutral endings of an answer.
  readonly endings: readonly string[];
  // Sentences with {name}, {email} or {phone} of an invented colleague.
  readonly mentions: readonly string[];
}
