import { catchUp } from '@survey/postgres/account-cache.ts';
import { inAccountSnapshot, type Client, type Pool } from '@survey/postgres/database.ts';
import { resolveOptions } from '@survey/postgres/merged-options.ts';
import type { Log } from '@survey/process/log.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { ScoringServiceDefinition, EarlierDecision } from '@survey/proto/scoring/v1/scoring.ts';
import { busy, invalid } from '@survey/rpc/application-error.ts';
import type { Upstream, CallOptions } from '@survey/rpc/upstream.ts';
import type { AccountAnswers, Scope, ShownAs } from '../answers/account-answers.ts';
import type { AnswerCache } from '../answers/answer-cache.ts';
import type { ReleasedAnswers, UnitKind, Selection, UnitCount } from '../answers/selection.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { readSnapshot, type Block, type Cycle } from '../answers/account-snapshot.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';

export interface ReleaseContext {
  readonly pool: Pool;
  readonly answerCache: AnswerCache;
  readonly scoring: Upstream<ScoringServiceDefinition>;
  readonly log: Log;
}

/** The answers that may be shown, in the database snapshot that they were selected from. */
export interface Released {
  readonly tx: Client;
  readonly accountId: number;
  // What the released units are.
  readonly kind: UnitKind;
  readonly released: ReleasedAnswers;
  // Masking policy of the texts; null when they are returned verbatim.
  readonly policy: number | null;
  // Words that are hidden in the texts.
  readonly deniedWords: readonly string[];
}

/** Every answer of the account. */
export const WHOLE_ACCOUNT: Scope = { surveyIds: undefined, cycleIds: undefined, questionIds: undefined, optionIds: undefined };

// Attempts when the answers change before they are read.
const ATTEMPTS = 8;
// Attempts that ask scoring-anonymity ahead of the database snapshot.
const ATTEMPTS_AHEAD = 2;

/** Answers that scoring-anonymity is asked about. */
interface ReleaseInquiry extends ShownAs {
  // Merged options of the request are replaced by those that they were merged into.
  readonly scope: Scope;
}

/** What scoring-anonymity permits, of the answers in this state. */
interface Decision {
  readonly state: string;
  readonly released: ReleasedAnswers;
}

/**
 * Reads answers that may be shown. Settings, answers, counts, texts and topics come from one
 * database snapshot. Every call asks scoring-anonymity what is released.
 *
 * It is asked ahead, so that no transaction waits for another service; the snapshot then shows
 * whether the decision is about the same answers. Only if they change faster than it decides, it is
 * asked within the snapshot, because the call would never end otherwise.
 */
export async function withReleased<T>(
  context: ReleaseContext,
  scope: Scope,
  call: CallContext,
  read: (released: Released) => Promise<T>,
): Promise<T> {
  let inquiry: ReleaseInquiry | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const cached = await context.answerCache.get(accountOf(call));
    if (scope.optionIds === undefined && cached.shownAs !== undefined) inquiry ??= { ...cached.shownAs, scope };
    const decide = (inquiry: ReleaseInquiry): Promise<Decision> => decideRelease(context, cached, inquiry, call);
    const isAhead = attempt < ATTEMPTS_AHEAD;
    const decision = isAhead && inquiry ? await decide(inquiry) : undefined;
    const outcome = await readInSnapshot(context, cached, scope, call, async (view, current) => {
      inquiry = current;
      if (isAhead && decision?.state !== stateOf(cached, current)) return undefined;
      const { released } = decision ?? (await decide(current));
      return { value: await read({ ...view, released }) };
    });
    if (outcome !== undefined) return outcome.value;
  }
  throw busy('The answers change too fast to be read. Retry with exponential backoff.');
}

async function decideRelease(
  { scoring, answerCache }: ReleaseContext,
  cached: AccountAnswers,
  inquiry: ReleaseInquiry,
  call: CallContext,
): Promise<Decision> {
  const { scope, masking, kind } = inquiry;
  const state = stateOf(cached, inquiry);
  const released = await releasedAnswers(scoring, cached, cached.select(scope, masking, kind), kind, call);
  answerCache.updateSize(accountOf(call), cached);
  return { state, released };
}

// The scope is the call's own, except for the options that others were merged into.
function stateOf({ timeline, sequence }: AccountAnswers, { masking, kind, scope }: ReleaseInquiry): string {
  return JSON.stringify([timeline, sequence, masking, kind, scope.optionIds && [...scope.optionIds]]);
}

type SnapshotView = Omit<Released, 'released'>;

/** Opens a snapshot and updates the cached answers to it; undefined when they are newer. */
async function readInSnapshot<T>(
  { pool, answerCache, log }: ReleaseContext,
  cached: AccountAnswers,
  scope: Scope,
  call: CallContext,
  read: (view: SnapshotView, inquiry: ReleaseInquiry) => Promise<T>,
): Promise<T | undefined> {
  const accountId = accountOf(call);
  return inAccountSnapshot(
    pool,
    accountId,
    async (tx) => {
      const options = scope.optionIds && (await resolveOptions(tx, accountId, scope.optionIds));
      const snapshot = await readSnapshot(tx, { accountId, cached, optionIds: options?.current ?? [] });
      if (!snapshot.optionsAreOfFilter) throw foreignOptions();
      if (!catchUp(cached, snapshot, { accountId, cache: answerCache, log })) return undefined;
      const masking = maskingOf(snapshot);
      const kind = snapshot.isGuarded ? 'blocks' : 'cycles';
      cached.shownAs = { masking, kind };
      const policy = typeof masking === 'string' ? null : masking.policy;
      const inquiry = { scope: { ...scope, optionIds: options && new Set(options.all) }, masking, kind } as const;
      return read({ tx, accountId, kind, policy, deniedWords: snapshot.deniedWords }, inquiry);
    },
    { deadline: call.deadline, keepsPlans: true },
  );
}

// The same error for every unusable option, so that it does not show which options exist (rule
// TEXTS-FILTER-1).
function foreignOptions(): Error {
  const because = 'must be options of the one attribute that the account has chosen for filtering answers';
  return invalid(`attribute_option_ids ${because}`, [{ pointer: '/attribute_option_ids', detail: because }]);
}

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
async function releasedAnswers(
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
