import { thresholdOf, type ScoreRelease, WITHHELD } from './release.ts';
import type { RequestedQuestion } from './requested-questions.ts';
import { scoreOf, type QuestionTally, type ScoreInputs } from './score.ts';

/** Who answered one question in one closed cycle. It does not include what they answered. */
interface Cell extends RespondentGroup {
  readonly configuredThreshold: number | null;
}

/** Respondents of a cell with the same attribute options. Each respondent is in one group. */
export interface RespondentGroup {
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

/** Returns why a cell that forms no block is withheld. */
export function reasonWithheld(configuredThreshold: number | null, groups: readonly RespondentGroup[]): 'too_few' | 'dominated' {
  const cell = { configuredThreshold, ...union(groups) };
  return cell.respondents >= thresholdOf(cell.configuredThreshold) ? 'dominated' : 'too_few';
}

/**
 * Divides a cell into blocks: one for each group that forms a block, and one of all other groups.
 * While those do not form a block, the smallest other group joins them (rule GUARD-TEXTS-2).
 * Returns the indexes of the groups of each block; none when the whole cell forms no block.
 */
export function formBlocks(configuredThreshold: number | null, groups: readonly RespondentGroup[]): number[][] {
  // Each index has a group: `?.` and `??` are for the compiler.
  const forms = (indexes: readonly number[]): boolean =>
    formsBlock({ configuredThreshold, ...union(indexes.flatMap((index) => groups[index] ?? [])) });
  const bySize = [...groups.keys()].sort((a, b) => (groups[a]?.respondents ?? 0) - (groups[b]?.respondents ?? 0));
  const large = bySize.filter((index) => forms([index]));
  const rest = bySize.filter((index) => !forms([index]));
  while (rest.length > 0 && !forms(rest)) {
    const smallest = large.shift();
    if (smallest === undefined) return [];
    rest.push(smallest);
  }
  const alone = large.map((index) => [index]);
  return rest.length === 0 ? alone : [...alone, rest];
}

function union(groups: readonly RespondentGroup[]): RespondentGroup {
  return {
    respondents: groups.reduce((sum, { respondents }) => sum + respondents, 0),
    answers: groups.reduce((sum, { answers }) => sum + answers, 0),
    mostAnswers: groups.reduce((highest, { mostAnswers }) => Math.max(highest, mostAnswers), 0),
  };
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
  const strictest = strictestOf(questions);
  const scorable = questions.filter(({ scale }) => scale !== undefined).length;
  const hasValues = tallies.length === scorable && tallies.some(({ count }) => count > 0);
  if (!hasValues || !(respondents >= strictest)) return { ...WITHHELD, respondents: 0 };
  const score = scoreOf(tallies);
  return { score, suppressed: false, suppression_reason: null, respondents: roundDown(respondents, strictest) };
}

/** Employees assigned to a cycle, and the respondents of its blocks that a score consists of. */
export interface CycleParticipation {
  readonly cycleId: string;
  readonly assigned: number;
  readonly respondents: number;
}

/**
 * Decides the participation shown with a released score: both numbers in multiples of the
 * threshold, without the cycles that are below it (rule GUARD-SEGMENTS-3).
 */
export function releaseParticipation(
  questions: GuardedScoreInputs['questions'],
  cycles: readonly CycleParticipation[],
): CycleParticipation[] {
  const strictest = strictestOf(questions);
  return cycles
    .filter(({ assigned, respondents }) => Math.min(assigned, respondents) >= strictest)
    .map(({ cycleId, assigned, respondents }) => ({
      cycleId,
      assigned: roundDown(assigned, strictest),
      respondents: roundDown(respondents, strictest),
    }));
}

const strictestOf = (questions: GuardedScoreInputs['questions']): number =>
  questions.reduce((strictest, { scoreThreshold }) => Math.max(strictest, thresholdOf(scoreThreshold)), -Infinity);

const roundDown = (count: number, step: number): number => count - (count % step);
