import { scoreOf, type QuestionTally } from './score.ts';

// Rule SCORES-THRESHOLD-3: what counts for a survey that configures none, and what no survey may go below.
const DEFAULT_THRESHOLD = 5;
const MIN_THRESHOLD = 3;

/** Score null, suppressed and a reason go together or not at all (rule SCORES-THRESHOLD-1): no other combination can be written. */
export type ScoreRelease =
  | { readonly score: number; readonly suppressed: false; readonly suppression_reason: null }
  | { readonly score: null; readonly suppressed: true; readonly suppression_reason: 'below_anonymity_threshold' };

export interface ScoreReleaseInput {
  // Of the surveys whose questions were asked for, whether anybody answered them or not (rule SCORES-THRESHOLD-2); as configured.
  readonly scoreThresholds: readonly (number | null)[];
  // Distinct people behind the answers that the score is made of.
  readonly respondents: number;
  readonly tallies: readonly QuestionTally[];
}

/**
 * GET /v1/scores, rules SCORES-THRESHOLD-1 and SCORES-THRESHOLD-2: when the respondent base is below the threshold, the score is withheld; when questions span
 * surveys, the strictest counts. Each call is judged by itself (rule SCORES-THRESHOLD-5): a guard against comparing calls would be a further condition here.
 */
export function releaseScore({ scoreThresholds, respondents, tallies }: ScoreReleaseInput): ScoreRelease {
  const strictest = Math.max(MIN_THRESHOLD, ...scoreThresholds.map(thresholdOf));
  if (isBelow(respondents, strictest)) {
    return { score: null, suppressed: true, suppression_reason: 'below_anonymity_threshold' };
  }
  return { score: scoreOf(tallies), suppressed: false, suppression_reason: null };
}

export interface CycleReleaseInput {
  // As configured for the cycle's survey; undefined when the survey is not known.
  readonly textThreshold: number | null | undefined;
  // Distinct people behind the answers that would be released from this cycle, after every filter (rule TEXTS-THRESHOLD-1).
  readonly people: number;
}

/**
 * GET /v1/text_responses, rule TEXTS-THRESHOLD-1: the threshold of its survey is evaluated for each cycle, and a cycle below it contributes
 * nothing. A cycle of a survey that nobody has configured yet contributes nothing either.
 */
export function releasesText({ textThreshold, people }: CycleReleaseInput): boolean {
  return textThreshold !== undefined && !isBelow(people, thresholdOf(textThreshold));
}

function thresholdOf(configured: number | null): number {
  return Math.max(MIN_THRESHOLD, configured === null || configured <= 0 ? DEFAULT_THRESHOLD : configured);
}

// "Below", so exactly the threshold is enough (rules SCORES-THRESHOLD-1 and TEXTS-THRESHOLD-1). NaN is below everything.
function isBelow(people: number, threshold: number): boolean {
  return !(people >= threshold);
}
