import type { CallContext } from '@survey/rpc/call-context.ts';
import type { EarlierDecision, ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { busy } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import type { CallOptions, Upstream } from '@survey/rpc/upstream.ts';
import type { Block, Cycle } from '../answers/account-snapshot.ts';
import type { ReleasedAnswers, Selection, UnitCount, UnitKind } from '../answers/selection.ts';

const MAX_WAIT_MS = 2_000;

type Scoring = Upstream<ScoringServiceDefinition>;

/** What counts refer to by ordinal. */
interface Units {
  readonly cycles: readonly Cycle[];
  readonly blocks: readonly Block[];
}

/**
 * Returns the selected answers that scoring-anonymity permits to release; it alone decides. When it
 * is unavailable the call fails, never with an empty list (rule SCORES-AVAILABILITY-1).
 *
 * The first page of a selection asks about every unit, also about those without respondents, so
 * that its duration does not show whether any employee has responded (rule TEXTS-THRESHOLD-4). The
 * following pages ask whether that decision still holds, whatever it was.
 */
export async function releasedAnswers(
  scoring: Scoring,
  ordinals: Units,
  selection: Selection,
  kind: UnitKind,
  call: CallContext,
): Promise<ReleasedAnswers> {
  const ask = kind === 'blocks' ? askAboutBlocks : askAboutCycles;
  const options = optionsOf(call);
  const { decision } = selection;
  if (decision !== undefined) {
    const earlier = { survey_ids: [...decision.surveyIds], thresholds: decision.thresholds };
    const { holds } = await ask(scoring, ordinals, [], options, earlier).catch(asBusy);
    if (holds) return decision.released;
  }
  const { units, surveyIds, thresholds } = await ask(scoring, ordinals, selection.counts, options).catch(asBusy);
  const released = selection.in(units);
  selection.decision = { released, surveyIds, thresholds };
  return released;
}

interface UnitDecision {
  readonly holds: boolean;
  readonly units: readonly number[];
  readonly surveyIds: readonly number[];
  readonly thresholds: Buffer;
}

async function askAboutCycles(
  scoring: Scoring,
  { cycles }: Units,
  counts: readonly UnitCount[],
  options: CallOptions,
  earlier?: EarlierDecision,
): Promise<UnitDecision> {
  const counted = counts.flatMap(({ unit, respondents }) => {
    const cycle = cycles[unit];
    return cycle === undefined ? [] : [{ unit, cycle_id: cycle.cycleId, survey_id: cycle.surveyId, people: respondents }];
  });
  const { released_cycle_ids, ...decision } = await scoring.decideTextRelease({ cycles: counted, earlier }, options);
  return { ...decision, surveyIds: surveysOf(counted), units: inAllSurveys(counted, released_cycle_ids) };
}

async function askAboutBlocks(
  scoring: Scoring,
  { blocks, cycles }: Units,
  counts: readonly UnitCount[],
  options: CallOptions,
  earlier?: EarlierDecision,
): Promise<UnitDecision> {
  const blockCounts = counts.flatMap(({ unit, respondents }) => {
    const cycle = cycles[blocks[unit]?.cycle ?? -1];
    return cycle === undefined ? [] : [{ ordinal: unit, survey_id: cycle.surveyId, respondents }];
  });
  const { released_ordinals, ...decision } = await scoring.releaseTextBlocks({ blocks: blockCounts, earlier }, options);
  return { ...decision, surveyIds: surveysOf(blockCounts), units: released_ordinals };
}

function surveysOf(units: readonly { readonly survey_id: number }[]): number[] {
  return [...new Set(units.map(({ survey_id }) => survey_id))];
}

function optionsOf({ requestId, accountId, deadline, signal }: CallContext): CallOptions {
  const caller = { requestId, ...(accountId !== undefined && { accountId }) };
  const deadlineMs = Math.max(1, Math.min(MAX_WAIT_MS, deadline.getTime() - Date.now()));
  return { caller, deadlineMs, signal };
}

function asBusy(error: unknown): never {
  throw error instanceof UpstreamError ? busy('The anonymity rules are unavailable. Retry with exponential backoff.') : error;
}

interface NamedCycle {
  readonly unit: number;
  readonly cycle_id: string;
  readonly people: number;
}

// Responses may name several surveys for one cycle. Such a cycle is released when all of them are.
function inAllSurveys(cycles: readonly NamedCycle[], releasedIds: readonly string[]): number[] {
  const times = (ids: readonly string[]): Map<string, number> =>
    new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));
  const counted = cycles.filter(({ people }) => people > 0);
  const decided = times(counted.map(({ cycle_id }) => cycle_id));
  const released = times(releasedIds);
  return counted.filter(({ cycle_id }) => released.get(cycle_id) === decided.get(cycle_id)).map(({ unit }) => unit);
}
