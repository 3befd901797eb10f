import { inAccountSnapshot, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { EarlierDecision, ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { createHash } from 'node:crypto';
import { initializeToZero, counter } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { formBlocks } from './rules/disclosure-guard.ts';
import { releasesText, thresholdOf } from './rules/release.ts';

/** Counts decisions by outcome: released or suppressed. */
export type CountDecision = (isReleased: boolean) => void;

export function createDecisionCounter(kind: 'score' | 'text_cycle' | 'text_block', { metrics }: ServiceContext): CountDecision {
  const decisions = counter(metrics, {
    name: 'release_decisions_total',
    help: 'Decisions on the release of scores and of text responses per cycle or block, by outcome.',
    labelNames: ['kind', 'outcome'],
  });
  initializeToZero(decisions, [
    { kind, outcome: 'released' },
    { kind, outcome: 'suppressed' },
  ]);
  return (isReleased) => decisions.inc({ kind, outcome: isReleased ? 'released' : 'suppressed' });
}

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

/** Divides the texts of cells into blocks (rules GUARD-TEXTS-1 and GUARD-TEXTS-2). */
export function formTextBlocks(pool: Pool): Handlers<ScoringServiceDefinition>['formTextBlocks'] {
  return async ({ survey_id, cells }, call) => {
    const accountId = accountOf(call);
    const thresholds = await inAccountSnapshot(
      pool,
      accountId,
      (tx) => readTextThresholds(tx, accountId, [survey_id], 'strict'),
      call,
    );
    const threshold = thresholds.get(survey_id);
    return {
      cells: cells.map(({ groups }) => {
        const counts = groups.map(({ most_answers, ...group }) => ({ ...group, mostAnswers: most_answers }));
        const blocks = threshold === undefined ? [] : formBlocks(threshold, counts);
        return { blocks: blocks.map((indexes) => ({ groups: indexes })) };
      }),
    };
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
  const textThresholds = await inAccountSnapshot(
    pool,
    accountId,
    (tx) => readTextThresholds(tx, accountId, surveyIds, guard),
    call,
  );
  const thresholds = digestOf(surveyIds, textThresholds);
  return {
    released: units.filter((unit) => isReleased(textThresholds.get(unit.survey_id), unit)),
    thresholds,
    holds: earlier != null && thresholds.equals(earlier.thresholds),
  };
}

// Digest of the thresholds that apply, so that it changes with the minimum that this service
// demands as well.
function digestOf(surveyIds: readonly number[], textThresholds: ReadonlyMap<number, number | null>): Buffer {
  const applied = surveyIds.map((id) => {
    const configured = textThresholds.get(id);
    return [id, configured === undefined ? null : thresholdOf(configured)] as const;
  });
  return createHash('sha256')
    .update(JSON.stringify(applied.sort(([a], [b]) => a - b)))
    .digest();
}

/**
 * Returns the configured text thresholds of the known surveys, by survey id. There are none when
 * the account's disclosure guard is not the expected one, so that all texts are withheld.
 */
async function readTextThresholds(
  db: Queryable,
  accountId: number,
  surveyIds: readonly number[],
  guard: 'off' | 'strict',
): Promise<Map<number, number | null>> {
  const { rows } = await db.query<{ id: number; text_threshold: number | null }>(
    `select id, text_threshold from scoring.survey where account_id = $1::bigint and id = any($2::bigint[]) and coalesce(
       (select disclosure_guard from admin.settings where account_id = $1::bigint order by version desc limit 1), 'off') = $3::text`,
    [accountId, surveyIds, guard],
  );
  return new Map(rows.map(({ id, text_threshold }) => [id, text_threshold]));
}
