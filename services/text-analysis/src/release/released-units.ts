import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { busy } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import type { CallOptions, Upstream } from '@survey/rpc/upstream.ts';
import type { Block, Cycle } from '../answers/account-snapshot.ts';
import type { UnitCount } from '../answers/selection.ts';

const MAX_WAIT_MS = 2_000;

type Scoring = Upstream<ScoringServiceDefinition>;

/** What counts refer to by ordinal. */
interface Units {
  readonly cycles: readonly Cycle[];
  readonly blocks: readonly Block[];
}

/**
 * Returns the cycles that scoring-anonymity permits to release; it alone decides. When it is
 * unavailable the call fails, never with an empty list (rule SCORES-AVAILABILITY-1). It is called
 * for every count, also 0, so that the duration does not show whether any employee has responded
 * (rule TEXTS-THRESHOLD-4).
 */
export async function releasedCycles(
  scoring: Scoring,
  { cycles }: Units,
  counts: readonly UnitCount[],
  call: CallContext,
): Promise<ReadonlySet<number>> {
  const named = counts.flatMap(({ unit, respondents }) => {
    const known = cycles[unit];
    return known === undefined ? [] : [{ unit, cycle_id: known.cycleId, survey_id: known.surveyId, people: respondents }];
  });
  const { released_cycle_ids } = await scoring.decideTextRelease({ cycles: named }, optionsOf(call)).catch(asBusy);
  return inAllSurveys(named, released_cycle_ids);
}

/** Returns the blocks that scoring-anonymity permits to release, as releasedCycles does. */
export async function releasedBlocks(
  scoring: Scoring,
  { blocks, cycles }: Units,
  counts: readonly UnitCount[],
  call: CallContext,
): Promise<ReadonlySet<number>> {
  const named = counts.flatMap(({ unit, respondents }) => {
    const cycle = cycles[blocks[unit]?.cycle ?? -1];
    return cycle === undefined ? [] : [{ ordinal: unit, survey_id: cycle.surveyId, respondents }];
  });
  const { released_ordinals } = await scoring.releaseTextBlocks({ blocks: named }, optionsOf(call)).catch(asBusy);
  return new Set(released_ordinals);
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
function inAllSurveys(named: readonly NamedCycle[], releasedIds: readonly string[]): Set<number> {
  const times = (ids: readonly string[]): Map<string, number> =>
    new Map([...Map.groupBy(ids, (id) => id)].map(([id, all]) => [id, all.length]));
  const counted = named.filter(({ people }) => people > 0);
  const asked = times(counted.map(({ cycle_id }) => cycle_id));
  const released = times(releasedIds);
  return new Set(counted.filter(({ cycle_id }) => released.get(cycle_id) === asked.get(cycle_id)).map(({ unit }) => unit));
}
