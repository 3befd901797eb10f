import { scoreOf, type QuestionTally } from './score.ts';

// Rule SCORES-THRESHOLD-3: threshold of a survey that configures none, and minimum for every
// survey.
const DEFAULT_THRESHOLD = 5;
const MIN_THRESHOLD = 3;

/**
 * Ties a null score to suppressed and a reason; the type allows no other combination (rule
 * SCORES-THRESHOLD-1).
 */
export type ScoreRelease =
  | { readonly score: number; readonly suppressed: false; readonly suppression_reason: null }
  | { readonly score: null; readonly suppressed: true; readonly suppression_reason: 'below_anonymity_threshold' };

export const WITHHELD = { score: null, suppressed: true, suppression_reason: 'below_anonymity_threshold' } as const;

interface ScoreReleaseInput {
  // Configured thresholds of the surveys in scope: those whose questions were requested, answered
  // or not, or those in which the answers were given if the request names surveys (rule
  // SCORES-THRESHOLD-2).
  readonly scoreThresholds: readonly (number | null)[];
  // Distinct respondents of the answers that make up the score.
  readonly respondents: number;
  readonly tallies: readonly QuestionTally[];
}

/**
 * Decides GET /v1/scores: suppresses the score below the strictest threshold of its surveys (rules
 * SCORES-THRESHOLD-1 and SCORES-THRESHOLD-2).
 * Each call is judged on its own (rule SCORES-THRESHOLD-5); disclosure-guard.ts decides for
 * accounts with the disclosure guard.
 */
export function releaseScore({ scoreThresholds, respondents, tallies }: ScoreReleaseInput): ScoreRelease {
  const strictest = scoreThresholds.reduce<number>((max, each) => Math.max(max, thresholdOf(each)), MIN_THRESHOLD);
  if (isBelow(respondents, strictest)) {
    return WITHHELD;
  }
  return { score: scoreOf(tallies), suppressed: false, suppression_reason: null };
}

interface CycleReleaseInput {
  // Threshold configured for the cycle's survey; undefined when the survey is unknown.
  readonly textThreshold: number | null | undefined;
  // Distinct respondents of the cycle's releasable answers, after every filter (rule
  // TEXTS-THRESHOLD-1).
  readonly people: number;
}

/**
 * Decides GET /v1/text_responses for one cycle, by its survey's threshold (rule TEXTS-THRESHOLD-1).
 * Cycles of an unknown survey are withheld.
 */
export function releasesText({ textThreshold, people }: CycleReleaseInput): boolean {
  return textThreshold !== undefined && !isBelow(people, thresholdOf(textThreshold));
}

export function thresholdOf(configured: number | null): number {
  const threshold = configured ?? 0;
  return Math.max(MIN_THRESHOLD, threshold > 0 ? threshold : DEFAULT_THRESHOLD);
}

// Exactly the threshold is enough (rules SCORES-THRESHOLD-1 and TEXTS-THRESHOLD-1). The negation
// makes NaN count as below.
function isBelow(people: number, threshold: number): boolean {
  return !(people >= threshold);
}
