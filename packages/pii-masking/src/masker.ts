import type { Roster } from './roster.ts';

/** What masking can hide, one switch each (rule TEXTS-MASKING-1). */
export const PERSONAL_CATEGORIES = ['name', 'email', 'phone', 'address', 'id'] as const;

export type PersonalCategory = (typeof PERSONAL_CATEGORIES)[number];

// Where a value stands, in UTF-16 offsets, end exclusive. The value itself is never in it.
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly category: PersonalCategory;
  // The rule that found it, such as `iban` or `roster`.
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
  // Changes whenever the same answer could get other spans.
  readonly version: string;
  /** Sorted, without overlaps, of the asked categories only: what they find does not depend on which others are asked for. */
  find(answer: AnswerToMask): Promise<readonly Span[]>;
}
