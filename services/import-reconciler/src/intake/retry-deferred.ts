import { asDeferred } from '@survey/bus/fact-batch.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { assignDeferredSupervisors } from '../sql/fact-supervisors.ts';
import { invalidateContentHashes } from '../sql/invalidate-content-hashes.ts';
import {
  deleteDeferredFacts,
  PAGE_SIZE,
  readyFacts,
  deferredFactKey,
  type DeferredFact,
  type WaitingPosition,
} from '../sql/deferred-facts.ts';
import { lockForFacts } from './lock-for-facts.ts';
import { parseEmployeeFact } from './parse-employee-fact.ts';
import { writeFacts, type LockedAccount } from './write-facts.ts';

/**
 * Applies deferred facts whose employee or address is available now.
 * @throws AccountBusyError while another transaction holds the account's lock
 */
export async function retryDeferredFacts(pool: Pool, accountId: number): Promise<void> {
  await inAccount(pool, accountId, async (tx) => applyDeferredFacts(tx, await lockForFacts(tx, accountId)));
}

/**
 * Applies deferred facts under the account's lock. Repeats while a fact unblocks another: until a
 * whole pass changes nothing.
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
  let after: WaitingPosition | undefined;
  let hasChanged = false;
  for (;;) {
    const ready = await readyFacts(tx, account.accountId, after);
    const done = ready.length === 0 ? [] : await applyReady(tx, account, ready);
    await deleteDeferredFacts(tx, account.accountId, done);
    hasChanged ||= done.length > 0;
    if (ready.length < PAGE_SIZE) return hasChanged;
    after = ready.at(-1);
  }
}

async function applyReady(tx: Client, account: LockedAccount, ready: readonly DeferredFact[]): Promise<readonly DeferredFact[]> {
  const statements = ready.map((row) => parseEmployeeFact(asDeferred(row)));
  const { unknown, refused } = await writeFacts(tx, account, statements);
  const left = new Set([...unknown, ...refused].map(deferredFactKey));
  return ready.filter(({ object_id }) => !left.has(object_id));
}
