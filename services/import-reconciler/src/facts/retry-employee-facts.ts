import { isFullBatch, readDeferredFacts, rejectDeferred } from '@survey/bus/facts/deferred-facts.ts';
import { nextRetryMs } from '@survey/bus/facts/retry-deferred.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { AccountBusyError, lockForFacts, type LockedAccount } from '../tables/account-lock.ts';
import { deleteDeferredFacts, deferredFactKey, lastLookedAt, type Position, readyFacts } from './deferred-employee-facts.ts';
import { assignDeferredSupervisors } from './fact-supervisors.ts';
import { invalidateContentHashes } from './invalidate-content-hashes.ts';
import { parseEmployeeFact } from './parse-employee-fact.ts';
import { writeFacts } from './write-facts.ts';

const BUSY_RETRY_MS = 3_000;

/**
 * Creates the retry of deferred facts whose employee or address is available now. Each call applies
 * a batch and returns the milliseconds until the next one, undefined when no fact is deferred:
 * messages of the account, and other accounts, have their turns in between.
 */
export function retryDeferredFacts(pool: Pool): (accountId: number) => Promise<number | undefined> {
  // How far each account has come. After a restart, a pass begins again.
  const turns = new Map<number, Turn>();
  return async (accountId) => {
    const turn = turns.get(accountId) ?? { pass: FIRST_PASS, supervisorsAfter: '' };
    try {
      const { next, againInMs } = await inAccount(pool, accountId, async (tx) => {
        const next = await takeTurn(tx, accountId, turn);
        return { next, againInMs: next === undefined ? await retryMs(tx, accountId) : 0 };
      });
      if (next === undefined) turns.delete(accountId);
      else turns.set(accountId, next);
      return againInMs;
    } catch (error) {
      if (error instanceof AccountBusyError) return BUSY_RETRY_MS;
      throw error;
    }
  };
}

/** Schedules the retry of the account's deferred facts, if it has any. */
export async function scheduleRetry(tx: Client, accountId: number): Promise<void> {
  const againInMs = await retryMs(tx, accountId);
  if (againInMs !== undefined) await markDue(tx, 'imports', 'facts', [accountId], againInMs);
}

/** All passes through the waiting facts, then one through the waiting supervisors. */
interface Turn {
  readonly pass: Pass | undefined;
  readonly supervisorsAfter: string;
}

async function takeTurn(tx: Client, accountId: number, { pass, supervisorsAfter }: Turn): Promise<Turn | undefined> {
  const account = await lockForFacts(tx, accountId);
  const next = pass && (await applyBatch(tx, account, pass));
  if (next !== undefined) return { pass: next, supervisorsAfter };
  const last = await assignSupervisors(tx, accountId, { after: supervisorsAfter });
  return last === undefined ? undefined : { pass: undefined, supervisorsAfter: last };
}

const retryMs = (tx: Client, accountId: number): Promise<number | undefined> => nextRetryMs(tx, accountId, { schema: 'imports' });

/** A pass through the waiting facts, and how far it has come. */
interface Pass {
  readonly nth: number;
  readonly after: Position | undefined;
  readonly hasChanged: boolean;
}

const FIRST_PASS: Pass = { nth: 0, after: undefined, hasChanged: false };
const DEFERRED = { schema: 'imports', kind: 'employee' } as const;
const MAX_PASSES = 10;
// Batches that are applied along with a message; the rest is left to a retry.
const MAX_BATCHES = 10;

/**
 * Applies deferred facts under the account's lock: all of them, or a batch about these employees.
 * Repeats while a pass changes something, because one fact may unblock another.
 */
export async function applyDeferredFacts(tx: Client, account: LockedAccount, employeeIds?: Set<number>): Promise<void> {
  let pass: Pass | undefined = FIRST_PASS;
  for (let batch = 0; batch < MAX_BATCHES && pass !== undefined; batch += 1)
    pass = await applyBatch(tx, account, pass, employeeIds);
  await assignSupervisors(tx, account.accountId, employeeIds && { ids: employeeIds });
}

// Returns the pass of the next batch, undefined at the end. Facts that still cannot be applied are
// skipped and do not block later ones. In a chain of addresses, each fact waits for the one after
// it, or before it: every second pass goes backwards.
async function applyBatch(tx: Client, account: LockedAccount, pass: Pass, employeeIds?: Set<number>): Promise<Pass | undefined> {
  const { accountId } = account;
  const { nth, after } = pass;
  let { hasChanged } = pass;
  const isBackwards = nth % 2 === 1;
  const ready = await readyFacts(tx, accountId, { employeeIds, isBackwards, after });
  const isFull = isFullBatch(ready);
  const all = { isBackwards, after };
  // Before any is deleted. What remains of facts about certain employees is left to a retry, or
  // each message would read all that wait for its employees.
  const end = employeeIds !== undefined ? undefined : isFull ? ready.at(-1) : await lastLookedAt(tx, accountId, all);
  if (ready.length > 0) {
    const facts = await readDeferredFacts(tx, accountId, DEFERRED, ready);
    const { unknown, rejected, refused, changedIds } = await writeFacts(tx, account, facts.map(parseEmployeeFact));
    await rejectDeferred(
      tx,
      accountId,
      DEFERRED,
      refused.map((incoming) => ({ incoming, reason: 'too_many_values' as const })),
    );
    const waitingKeys = new Set([...unknown, ...rejected].map(deferredFactKey));
    const applied = ready.filter(({ object_id }) => !waitingKeys.has(object_id));
    await deleteDeferredFacts(tx, accountId, applied);
    if (employeeIds !== undefined) for (const id of changedIds) employeeIds.add(id);
    hasChanged ||= applied.length > 0;
  }
  if (end !== undefined) return { nth, after: end, hasChanged };
  return hasChanged && !isFull && nth + 1 < MAX_PASSES ? { ...FIRST_PASS, nth: nth + 1 } : undefined;
}

// Returns the last employee of a full batch.
async function assignSupervisors(
  tx: Client,
  accountId: number,
  which?: Parameters<typeof assignDeferredSupervisors>[2],
): Promise<string | undefined> {
  const { supervisedIds, last } = await assignDeferredSupervisors(tx, accountId, which);
  await invalidateContentHashes(tx, accountId, { removedIds: [], importIds: [], supervisedIds });
  return last;
}
