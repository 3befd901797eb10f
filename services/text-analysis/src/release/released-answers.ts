import { inAccountSnapshot, type Client, type Pool } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { busy, invalid } from '@survey/rpc/application-error.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import type { AccountAnswers, Scope } from '../answers/account-answers.ts';
import type { AnswerCache } from '../answers/answer-cache.ts';
import type { ReleasedAnswers, UnitKind } from '../answers/selection.ts';
import { releasedAnswers } from './released-units.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { readSnapshot, type AccountSnapshot } from '../answers/account-snapshot.ts';

export interface Listing {
  readonly pool: Pool;
  readonly memory: AnswerCache;
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

// Attempts when a concurrent call has updated the cached answers beyond this call's snapshot.
const ATTEMPTS = 8;

/**
 * Reads answers that may be shown. Settings, answers, counts, texts and topics come from one
 * database snapshot. Every call asks scoring-anonymity what is released.
 */
export async function withReleased<T>(
  listing: Listing,
  scope: Scope,
  call: CallContext,
  read: (released: Released) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const done = await tryRead(listing, scope, call, read);
    if (done !== undefined) return done.value;
  }
  throw busy('The answers change too fast to be read. Retry with exponential backoff.');
}

async function tryRead<T>(
  listing: Listing,
  scope: Scope,
  call: CallContext,
  read: (released: Released) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const accountId = accountOf(call);
  const held = await listing.memory.get(accountId);
  return inAccountSnapshot(
    listing.pool,
    accountId,
    async (tx) => {
      const snapshot = await readSnapshot(tx, { accountId, held, optionIds: [...(scope.optionIds ?? [])] });
      if (!snapshot.optionsAreOfFilter) throw foreignOptions();
      if (!catchUp(listing, held, snapshot, accountId)) return undefined;
      const masking = maskingOf(snapshot);
      const kind = snapshot.isGuarded ? 'blocks' : 'cycles';
      const selection = held.select(scope, masking, kind);
      const released = await releasedAnswers(listing.scoring, held, selection, kind, call);
      listing.memory.resized(accountId, held);
      const policy = typeof masking === 'string' ? null : masking.policy;
      return { value: await read({ tx, accountId, kind, released, policy, deniedWords: snapshot.deniedWords }) };
    },
    { deadline: call.deadline, keepsPlans: true },
  );
}

/**
 * Updates the cached answers to the snapshot. Returns false when they are newer, or were evicted.
 */
function catchUp(
  { memory, log }: Listing,
  held: AccountAnswers,
  { timeline, sequence, changes }: AccountSnapshot,
  accountId: number,
): boolean {
  if (timeline === held.timeline && sequence <= held.sequence) return sequence === held.sequence;
  try {
    if (timeline !== held.timeline) throw new Error('database timeline has changed');
    if (changes === undefined) throw new Error('too many changes');
    held.follow(changes);
    return true;
  } catch (error) {
    log.warn({ err: error, account_id: accountId, timeline, cached_timeline: held.timeline }, 'cached answers dropped');
    memory.drop(accountId);
    return false;
  }
}

// The same error for every unusable option, so that it does not show which options exist (rule
// TEXTS-FILTER-1).
function foreignOptions(): Error {
  const because = 'must be options of the one attribute that the account has chosen for filtering answers';
  return invalid(`attribute_option_ids ${because}`, [{ pointer: '/attribute_option_ids', detail: because }]);
}
