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

/** Applies the facts of an account that have waited for what is there now. Throws AccountBusy while somebody else writes its employees. */
export async function retryDeferredFacts(pool: Pool, accountId: number): Promise<void> {
  await inAccount(pool, accountId, async (tx) => applyDeferredFacts(tx, await lockForFacts(tx, accountId)));
}

/** As retryWaitingFacts, under the account's lock. Goes on while one fact makes way for another: until a whole pass changes nothing. */
export async function applyDeferredFacts(tx: Client, account: LockedAccount): Promise<void> {
  const { accountId } = account;
  while (await applyPass(tx, account));
  const supervisedIds = await assignDeferredSupervisors(tx, accountId);
  await invalidateContentHashes(tx, accountId, { removedIds: [], importIds: [], supervisedIds });
}

// False when nothing has changed. What cannot be applied is passed by, and does not hide what stands behind it.
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
  return ready.filter(({ thing_id }) => !left.has(thing_id));
}
