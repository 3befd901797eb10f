import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { CountDecision } from './decision-metrics.ts';
import { releasesText } from '../rules/release.ts';
import { readTextThresholds } from './text-thresholds.ts';

/**
 * Decides which cycles of GET /v1/text_responses are released (rule TEXTS-THRESHOLD-1).
 * text-analysis counts the respondents of each cycle; only this service decides.
 */
export function decideTextRelease(pool: Pool, count: CountDecision): Handlers<ScoringServiceDefinition>['decideTextRelease'] {
  return async ({ cycles }, call) => {
    const accountId = accountOf(call);
    const surveyIds = [...new Set(cycles.map(({ survey_id }) => survey_id))];
    const thresholds = await inAccountSnapshot(
      pool,
      accountId,
      (tx) => readTextThresholds(tx, accountId, surveyIds, 'off'),
      call,
    );
    const released = cycles.filter(({ survey_id, people }) => {
      const isReleased = releasesText({ textThreshold: thresholds.get(survey_id), people });
      // Cycles without respondents are queried only to keep the duration of calls constant.
      if (people > 0) count(isReleased);
      return isReleased;
    });
    return { released_cycle_ids: released.map(({ cycle_id }) => cycle_id) };
  };
}
