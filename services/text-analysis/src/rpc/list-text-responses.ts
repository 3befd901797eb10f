import { inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { Page } from '@survey/rpc/gen/survey/common/v1/page.ts';
import type { ScoringServiceDefinition } from '@survey/rpc/gen/survey/scoring/v1/scoring.ts';
import type { ListTextResponsesRequest, TextServiceDefinition } from '@survey/rpc/gen/survey/text/v1/text.ts';
import { toPage } from '@survey/rpc/page.ts';
import { busy, invalid } from '@survey/rpc/application-error.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import type { AccountAnswers, Scope } from '../answers/account-answers.ts';
import type { AnswerCache } from '../answers/answer-cache.ts';
import { releasedCycles } from '../released-cycles.ts';
import { maskerFor, type Maskers } from '../masking/maskers.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { readSnapshot, type AccountSnapshot } from '../sql/account-snapshot.ts';
import { readAnswers, type ShownAnswer } from '../sql/read-answers.ts';
import { readScope } from './read-scope.ts';

export interface Listing {
  readonly pool: Pool;
  readonly memory: AnswerCache;
  readonly scoring: Upstream<ScoringServiceDefinition>;
  // Maskers whose current version counts.
  readonly maskers: Maskers;
  readonly log: Log;
}

interface ReleasedPage {
  readonly total_count: number;
  readonly responses: readonly ShownAnswer[];
}

// Attempts when a concurrent call has updated the cached answers beyond this call's snapshot.
const ATTEMPTS = 8;

/**
 * Serves GET /v1/text_responses (docs/rules/texts.md). Settings, answers, counts, texts and topics
 * come from one database snapshot. Every call asks scoring-anonymity again which cycles are
 * released.
 */
export function listTextResponses(listing: Listing): Handlers<TextServiceDefinition>['listTextResponses'] {
  return async (request, call): Promise<Page> => {
    const scope = readScope(request);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const page = await readPage(listing, request, scope, call);
      if (page !== undefined) return toPage(JSON.stringify(page), request.accept_gzip);
    }
    throw busy('The answers change too fast to be read. Retry with exponential backoff.');
  };
}

async function readPage(
  listing: Listing,
  { limit, offset }: ListTextResponsesRequest,
  scope: Scope,
  call: CallContext,
): Promise<ReleasedPage | undefined> {
  const accountId = accountOf(call);
  const held = await listing.memory.get(accountId);
  return inAccountSnapshot(
    listing.pool,
    accountId,
    async (tx) => {
      const snapshot = await readSnapshot(tx, { accountId, held, optionIds: [...(scope.optionIds ?? [])] });
      if (!snapshot.optionsAreOfFilter) throw foreignOptions();
      if (!catchUp(listing, held, snapshot, accountId)) return undefined;
      const masking = maskingOf(snapshot, maskerFor(listing.maskers, snapshot).version);
      const selection = held.select(scope, masking);
      listing.memory.resized(accountId, held);
      const released = await releasedCycles(listing.scoring, held.cycles, selection.cycleCounts, call);
      const ids = selection.page(released, limit, offset);
      const policy = typeof masking === 'string' ? null : masking.policy;
      return { total_count: selection.countIn(released), responses: await readAnswers(tx, accountId, ids, policy) };
    },
    call,
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
