import { readDeferredFacts } from '@survey/bus/facts/deferred-facts.ts';
import { nextRetryMs } from '@survey/bus/facts/retry-deferred.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { AccountBusyError, lockForFacts, type LockedAccount } from '../tables/account-lock.ts';
import { deleteDeferredFacts, deferredFactKey, readyFacts } from './deferred-employee-facts.ts';
import { assignDeferredSupervisors } from './fact-supervisors.ts';
import { invalidateContentHashes } from './invalidate-content-hashes.ts';
import { parseEmployeeFact } from './parse-employee-fact.ts';
import { writeFacts } from './write-facts.ts';

const BUSY_RETRY_MS = 3_000;

/**
 * Applies deferred facts whose employee or address is available now. Returns the milliseconds until
 * the next retry, undefined when no fact is deferred.
 */
export async function retryDeferredFacts(pool: Pool, accountId: number): Promise<number | undefined> {
  try {
    return await inAccount(pool, accountId, async (tx) => {
      await applyDeferredFacts(tx, await lockForFacts(tx, accountId));
      return retryMs(tx, accountId);
    });
  } catch (error) {
    if (error instanceof AccountBusyError) return BUSY_RETRY_MS;
    throw error;
  }
}

/** Schedules the retry of the account's deferred facts, if it has any. */
export async function scheduleRetry(tx: Client, accountId: number): Promise<void> {
  const againInMs = await retryMs(tx, accountId);
  if (againInMs !== undefined) await markDue(tx, 'imports', 'facts', [accountId], againInMs);
}

const retryMs = (tx: Client, accountId: number): Promise<number | undefined> =>
  nextRetryMs(tx, accountId, 'imports', ['edit', 'supervisor', 'address']);

// A later retry goes on: other accounts have their turn.
const MAX_PASSES = 10;

/**
 * Applies deferred facts under the account's lock: all of them, or those about these employees.
 * Repeats while a pass changes something, because one fact may unblock another.
 */
export async function applyDeferredFacts(tx: Client, account: LockedAccount, employeeIds?: Set<number>): Promise<void> {
  const { accountId } = account;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) if (!(await applyPass(tx, account, pass, employeeIds))) break;
  const supervisedIds = await assignDeferredSupervisors(tx, accountId, employeeIds);
  await invalidateContentHashes(tx, accountId, { removedIds: [], importIds: [], supervisedIds });
}

// Returns false when nothing changed. Facts that still cannot be applied are skipped and do not
// block later ones. In a chain of addresses, each fact waits for the one after it, or before it:
// every second pass goes backwards.
async function applyPass(tx: Client, account: LockedAccount, pass: number, employeeIds?: Set<number>): Promise<boolean> {
  let hasChanged = false;
  for await (const ready of readyFacts(tx, account.accountId, { employeeIds, isBackwards: pass % 2 === 1 })) {
    const facts = await readDeferredFacts(tx, account.accountId, 'employee', ready);
    const { unknown, rejected, changedIds } = await writeFacts(tx, account, facts.map(parseEmployeeFact));
    const left = new Set([...unknown, ...rejected].map(deferredFactKey));
    const done = ready.filter(({ object_id }) => !left.has(object_id));
    await deleteDeferredFacts(tx, account.accountId, done);
    hasChanged ||= done.length > 0;
    if (employeeIds !== undefined) for (const id of changedIds) employeeIds.add(id);
  }
  return hasChanged;
}
