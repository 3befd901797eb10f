import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { EarlierDecision, ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { createHash } from 'node:crypto';
import type { CountDecision } from './decision-metrics.ts';
import { releasesText, thresholdOf } from '../rules/release.ts';
import { readTextThresholds } from './text-thresholds.ts';

/**
 * Decides which cycles of GET /v1/text_responses are released (rule TEXTS-THRESHOLD-1).
 * text-analysis counts the respondents of each cycle; only this service decides.
 */
export function decideTextRelease(pool: Pool, count: CountDecision): Handlers<ScoringServiceDefinition>['decideTextRelease'] {
  return async ({ cycles, earlier }, call) => {
    const { released, ...decision } = await decide(
      pool,
      { guard: 'off', units: cycles, earlier },
      call,
      (threshold, { people }) => {
        const isReleased = releasesText({ textThreshold: threshold, people });
        // Cycles without respondents are queried only to keep the duration of calls constant.
        if (people > 0) count(isReleased);
        return isReleased;
      },
    );
    return { ...decision, released_cycle_ids: released.map(({ cycle_id }) => cycle_id) };
  };
}

/** Decides which blocks of texts are large enough (rule GUARD-BLOCKS-4). */
export function releaseTextBlocks(pool: Pool, count: CountDecision): Handlers<ScoringServiceDefinition>['releaseTextBlocks'] {
  return async ({ blocks, earlier }, call) => {
    const question = { guard: 'strict', units: blocks, earlier } as const;
    const { released, ...decision } = await decide(pool, question, call, (threshold, { respondents }) => {
      const isReleased = releasesText({ textThreshold: threshold, people: respondents });
      count(isReleased);
      return isReleased;
    });
    return { ...decision, released_ordinals: released.map(({ ordinal }) => ordinal) };
  };
}

interface ReleaseQuestion<U> {
  readonly guard: 'off' | 'strict';
  readonly units: readonly U[];
  readonly earlier?: EarlierDecision | null | undefined;
}

// A client reads page after page of one selection, whose units and counts are the same. Their
// decision holds as long as the thresholds do, so text-analysis asks about these only.
async function decide<U extends { readonly survey_id: number }>(
  pool: Pool,
  { guard, units, earlier }: ReleaseQuestion<U>,
  call: CallContext,
  isReleased: (threshold: number | null | undefined, unit: U) => boolean,
): Promise<{ readonly released: U[]; readonly thresholds: Buffer; readonly holds: boolean }> {
  const accountId = accountOf(call);
  const surveyIds = [...new Set(earlier?.survey_ids ?? units.map(({ survey_id }) => survey_id))];
  const known = await inAccountSnapshot(pool, accountId, (tx) => readTextThresholds(tx, accountId, surveyIds, guard), call);
  const thresholds = digestOf(surveyIds, known);
  return {
    released: units.filter((unit) => isReleased(known.get(unit.survey_id), unit)),
    thresholds,
    holds: earlier != null && thresholds.equals(earlier.thresholds),
  };
}

// Of the thresholds that apply, so that it also changes with the minimum that this service demands.
function digestOf(surveyIds: readonly number[], known: ReadonlyMap<number, number | null>): Buffer {
  const applied = surveyIds.map((id) => {
    const configured = known.get(id);
    return [id, configured === undefined ? null : thresholdOf(configured)] as const;
  });
  return createHash('sha256')
    .update(JSON.stringify(applied.sort(([a], [b]) => a - b)))
    .digest();
}
