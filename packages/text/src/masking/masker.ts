import type { Roster } from './roster.ts';

/** Categories of personal data, each with its own switch (rule TEXTS-MASKING-1). */
export const PERSONAL_CATEGORIES = ['name', 'email', 'phone', 'address', 'id'] as const;

export type PersonalCategory = (typeof PERSONAL_CATEGORIES)[number];

// Position of a value as UTF-16 offsets, end exclusive. It never contains the value.
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly category: PersonalCategory;
  // Rule that found it, such as `iban` or `roster`.
  readonly source: string;
  // 0 … 1.
  readonly confidence: number;
}

export interface AnswerToMask {
  readonly text: string;
  // ISO 639-1; any other string counts as unknown.
  readonly language: string;
  readonly roster: Roster;
  readonly categories: ReadonlySet<PersonalCategory>;
}

export interface Masker {
  // Changes whenever the same answer could get different spans. Contains no spaces.
  readonly version: string;
  // Grows with each release whose rules find other spans. During an upgrade, a process of the
  // earlier release must not replace the masks of a later one.
  readonly generation: number;
  /**
   * Returns the spans of the requested categories, sorted and without overlaps. The spans of a
   * category do not depend on the other requested categories.
   */
  find(answer: AnswerToMask): Promise<readonly Span[]>;
}
