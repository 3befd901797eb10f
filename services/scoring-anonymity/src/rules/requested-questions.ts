import type { Scale } from './scale.ts';

/** A question as a score needs it. */
export interface RequestedQuestion {
  readonly id: number;
  readonly type: string;
  // Of its survey, as configured.
  readonly scoreThreshold: number | null;
  // Undefined when its answers cannot become values: it contributes nothing (rule SCORES-VALUE-5).
  readonly scale: Scale | undefined;
}

export type Unit = 'favorability_percent' | 'enps';

/** Why no score of these questions exists; for the client to read. */
export interface NotScorable {
  readonly reason: string;
}

/**
 * What a score of these questions is measured in, or why there is none: decided before any answer is looked at (rule SCORES-QUERY-2). A question of
 * another account is as unknown as one that never was (rule SCORES-QUERY-4), so nothing here may depend on which id it is.
 */
export function unitOf(askedIds: ReadonlySet<number>, found: readonly Pick<RequestedQuestion, 'type'>[]): Unit | NotScorable {
  if (found.length < askedIds.size) return { reason: 'names a question that does not exist' };
  if (found.some(({ type }) => type === 'textfield')) {
    return { reason: 'names a question that is not scorable: an answer in words has no value' };
  }
  const enps = found.filter(({ type }) => type === 'nps').length;
  if (enps > 0 && enps < found.length) {
    return { reason: 'mixes eNPS questions and others: ask for each kind by itself' };
  }
  return enps > 0 ? 'enps' : 'favorability_percent';
}
