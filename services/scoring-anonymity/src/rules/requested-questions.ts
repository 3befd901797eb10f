import type { Scale } from './scale.ts';

/** A question with the properties that a score needs. */
export interface RequestedQuestion {
  readonly id: number;
  readonly type: string;
  // Threshold configured for the question's survey.
  readonly scoreThreshold: number | null;
  // Undefined when its answers have no value; the question then contributes nothing (rule
  // SCORES-VALUE-5).
  readonly scale: Scale | undefined;
}

export type Unit = 'favorability_percent' | 'enps';

/** Reason shown to the client why these questions have no score. */
interface NotScorable {
  readonly reason: string;
}

/**
 * Returns the unit of a score over these questions, or why it has none; decided before any answer
 * is read (rule SCORES-QUERY-2).
 * The result must not depend on which id is unknown: another account's question and a nonexistent
 * one look the same (rule SCORES-QUERY-4).
 */
export function unitOf(
  questionIds: ReadonlySet<number>,
  questions: readonly Pick<RequestedQuestion, 'type'>[],
): Unit | NotScorable {
  if (questions.length < questionIds.size) return { reason: 'names a question that does not exist' };
  if (questions.some(({ type }) => type === 'textfield')) {
    return { reason: 'names a question that is not scorable: free-text answers have no value' };
  }
  const enps = questions.filter(({ type }) => type === 'nps').length;
  if (enps > 0 && enps < questions.length) {
    return { reason: 'mixes eNPS questions and others: request each kind separately' };
  }
  return enps > 0 ? 'enps' : 'favorability_percent';
}
