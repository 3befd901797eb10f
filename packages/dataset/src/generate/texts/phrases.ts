export const THEMES = ['management', 'pay', 'workload', 'team', 'tools', 'growth', 'communication', 'flexibility'] as const;

export type Theme = (typeof THEMES)[number];
export type Sentiment = 'positive' | 'neutral' | 'negative';

/** Sentences that somebody could have written, by what they are about and how they judge it. */
export type ThemePhrases = Readonly<Record<Theme, Readonly<Record<Sentiment, readonly string[]>>>>;

export interface Phrases {
  readonly themes: ThemePhrases;
  // Said at the end of an answer, about nothing.
  readonly endings: readonly string[];
  // With {name}, {email} or {phone} of an invented colleague.
  readonly mentions: readonly string[];
}
