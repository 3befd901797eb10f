import { thresholdOf, type ScoreRelease, WITHHELD } from './release.ts';
import type { RequestedQuestion } from './requested-questions.ts';
import { scoreOf, type QuestionTally, type ScoreInputs } from './score.ts';

/** Who answered one question in one closed cycle. It does not include what they answered. */
export interface Cell {
  readonly configuredThreshold: number | null;
  readonly respondents: number;
  readonly answers: number;
  // Answers of the respondent with the most answers.
  readonly mostAnswers: number;
}

// Largest part of a block's answers that one respondent may have given, as 1 / MIN_SHARES.
const MIN_SHARES = 3;

/**
 * Decides whether a cell's answers become a block: released together or not at all, from then on
 * (rules GUARD-BLOCKS-1 and GUARD-BLOCKS-2).
 */
export function formsBlock({ configuredThreshold, respondents, answers, mostAnswers }: Cell): boolean {
  return respondents >= thresholdOf(configuredThreshold) && mostAnswers * MIN_SHARES <= answers;
}

/**
 * Returns whether an existing block is large enough for the question's current threshold (rule
 * GUARD-BLOCKS-4).
 */
export function releasesBlock(question: Pick<RequestedQuestion, 'scoreThreshold'>, respondents: number): boolean {
  return respondents >= thresholdOf(question.scoreThreshold);
}

interface GuardedScoreInputs extends ScoreInputs {
  readonly questions: readonly Pick<RequestedQuestion, 'scoreThreshold' | 'scale'>[];
  // One for each question that has a scale and a released block.
  readonly tallies: readonly QuestionTally[];
}

/**
 * Decides GET /v1/scores under the disclosure guard. Every question that has a scale must have a
 * block, and the threshold applies to the respondents of all of them (rule GUARD-SCORES-2).
 * The number of respondents is rounded down to a multiple of the threshold (rule GUARD-SCORES-3).
 */
export function releaseGuardedScore({
  questions,
  tallies,
  respondents,
}: GuardedScoreInputs): ScoreRelease & { respondents: number } {
  const strictest = Math.max(...questions.map(({ scoreThreshold }) => thresholdOf(scoreThreshold)));
  const scorable = questions.filter(({ scale }) => scale !== undefined).length;
  const hasValues = tallies.length === scorable && tallies.some(({ count }) => count > 0);
  if (!hasValues || !(respondents >= strictest)) return { ...WITHHELD, respondents: 0 };
  const score = scoreOf(tallies);
  return { score, suppressed: false, suppression_reason: null, respondents: respondents - (respondents % strictest) };
}
