import { normaliseInstant, instantOf, microsecondsOf } from '@survey/formats/instant.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { GetScoreRequest, Participation, ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { CountDecision } from './decide-text-release.ts';
import type { ReadScore } from './read-score.ts';
import { releaseGuardedScore, releaseParticipation, type CycleParticipation } from './rules/disclosure-guard.ts';
import { releaseScore } from './rules/release.ts';
import type { RequestedQuestion } from './rules/requested-questions.ts';
import type { Segment, SettledPeriod } from './read-blocks.ts';

/**
 * Serves GET /v1/scores (docs/rules/scores.md). Thresholds, questions and answers come from one
 * database snapshot; calls share no state that affects a score.
 */
export function getScore(readScore: ReadScore, count: CountDecision): Handlers<ScoringServiceDefinition>['getScore'] {
  return async (request, call) => {
    const questionIds = new Set(request.question_ids);
    if (questionIds.size === 0) throw invalid('question_ids must not be empty');
    const period = { fromUs: instant(request.period_from), toUs: instant(request.period_to) };
    const query = { accountId: accountOf(call), questionIds, segment: segmentOf(request), deadline: call.deadline, ...period };
    const { questions, unit, scoreThresholds, respondents, tallies, guarded } = await readScore(query);
    if (guarded === undefined) {
      const release = releaseScore({ scoreThresholds, respondents, tallies });
      count(!release.suppressed);
      return { unit, respondents, ...release };
    }
    const release = releaseGuardedScore({ questions, respondents, tallies });
    count(!release.suppressed);
    const participation =
      request.participation === true ? participationOf(release.suppressed ? [] : guarded.participation, questions) : null;
    return { unit, ...release, disclosure_guard: describe(guarded.settled), participation };
  };
}

function segmentOf({ survey_ids, attribute_option_ids, participation }: GetScoreRequest): Segment {
  return { surveyIds: survey_ids?.ids, optionIds: attribute_option_ids?.ids, participation: participation ?? undefined };
}

function participationOf(cycles: readonly CycleParticipation[], questions: readonly RequestedQuestion[]): Participation {
  const released = releaseParticipation(questions, cycles);
  return { cycles: released.map(({ cycleId, ...numbers }) => ({ cycle_id: cycleId, ...numbers })) };
}

// The bounds of cycles are public. Withheld ones are included, so that it does not show which they
// are (rule GUARD-SCORES-4).
function describe({ cycles, openedUs, closedUs }: SettledPeriod): string {
  if (openedUs === null || closedUs === null) return 'strict; cycles=0';
  return `strict; cycles=${cycles}; from="${instantOf(openedUs)}"; to="${instantOf(closedUs)}"`;
}

function instant(text: string): number {
  const normalised = normaliseInstant(text);
  if (normalised === undefined) throw invalid('the period must be in RFC 3339 format');
  return microsecondsOf(normalised);
}
