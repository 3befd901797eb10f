import { asDeferred } from '@survey/bus/fact-batch.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { giveAwaitedSupervisors } from '../sql/fact-supervisors.ts';
import { forgetRecords } from '../sql/forget-records.ts';
import { dropWaiting, PAGE_SIZE, readyFacts, waitingKey, type WaitingFact, type WaitingPosition } from '../sql/waiting-facts.ts';
import { lockForFacts } from './lock-for-facts.ts';
import { readStatement } from './read-statement.ts';
import { writeStatements, type LockedAccount } from './write-statements.ts';

/** Applies the facts of an account that have waited for what is there now. Throws AccountBusy while somebody else writes its employees. */
export async function retryWaitingFacts(pool: Pool, accountId: number): Promise<void> {
  await inAccount(pool, accountId, async (tx) => applyWaiting(tx, await lockForFacts(tx, accountId)));
}

/** As retryWaitingFacts, under the account's lock. Goes on while one fact makes way for another: until a whole pass changes nothing. */
export async function applyWaiting(tx: Client, account: LockedAccount): Promise<void> {
  const { accountId } = account;
  while (await applyPass(tx, account));
  const supervisedIds = await giveAwaitedSupervisors(tx, accountId);
  await forgetRecords(tx, accountId, { removedIds: [], importIds: [], supervisedIds });
}

// False when nothing has changed. What cannot be applied is passed by, and does not hide what stands behind it.
async function applyPass(tx: Client, account: LockedAccount): Promise<boolean> {
  let after: WaitingPosition | undefined;
  let hasChanged = false;
  for (;;) {
    const ready = await readyFacts(tx, account.accountId, after);
    const done = ready.length === 0 ? [] : await applyReady(tx, account, ready);
    await dropWaiting(tx, account.accountId, done);
    hasChanged ||= done.length > 0;
    if (ready.length < PAGE_SIZE) return hasChanged;
    after = ready.at(-1);
  }
}

async function applyReady(tx: Client, account: LockedAccount, ready: readonly WaitingFact[]): Promise<readonly WaitingFact[]> {
  const statements = ready.map((row) => readStatement(asDeferred(row)));
  const { unknown, refused } = await writeStatements(tx, account, statements);
  const left = new Set([...unknown, ...refused].map(waitingKey));
  return ready.filter(({ thing_id }) => !left.has(thing_id));
}
