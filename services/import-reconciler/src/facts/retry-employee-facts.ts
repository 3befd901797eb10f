import { readDeferredFacts } from '@survey/bus/facts/deferred-facts.ts';
import { nextRetryMs } from '@survey/bus/facts/retry-deferred.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { AccountBusyError, lockForFacts, type LockedAccount } from '../tables/account-lock.ts';
import { deleteDeferredFacts, deferredFactKey, readyFacts, type DeferredFact } from './deferred-employee-facts.ts';
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

/**
 * Applies deferred facts under the account's lock. Repeats until a whole pass changes nothing,
 * because one fact may unblock another.
 */
export async function applyDeferredFacts(tx: Client, account: LockedAccount): Promise<void> {
  const { accountId } = account;
  while (await applyPass(tx, account));
  const supervisedIds = await assignDeferredSupervisors(tx, accountId);
  await invalidateContentHashes(tx, accountId, { removedIds: [], importIds: [], supervisedIds });
}

// Returns false when nothing changed. Facts that still cannot be applied are skipped and do not
// block later ones.
async function applyPass(tx: Client, account: LockedAccount): Promise<boolean> {
  let hasChanged = false;
  for await (const ready of readyFacts(tx, account.accountId)) {
    const done = await applyReady(tx, account, ready);
    await deleteDeferredFacts(tx, account.accountId, done);
    hasChanged ||= done.length > 0;
  }
  return hasChanged;
}

async function applyReady(tx: Client, account: LockedAccount, ready: readonly DeferredFact[]): Promise<readonly DeferredFact[]> {
  const facts = await readDeferredFacts(tx, account.accountId, 'employee', ready);
  const statements = facts.map(parseEmployeeFact);
  const { unknown, rejected } = await writeFacts(tx, account, statements);
  const left = new Set([...unknown, ...rejected].map(deferredFactKey));
  return ready.filter(({ object_id }) => !left.has(object_id));
}
