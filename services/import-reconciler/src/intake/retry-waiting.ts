import { asIncoming } from '@survey/bus/fact-batch.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { giveAwaitedSupervisors } from '../sql/fact-supervisors.ts';
import { forgetRecords } from '../sql/forget-records.ts';
import { dropWaiting, readyFacts, waitingKey, type WaitingFact } from '../sql/waiting-facts.ts';
import { lockForFacts } from './lock-for-facts.ts';
import { readStatement } from './read-statement.ts';
import { writeStatements, type LockedAccount } from './write-statements.ts';

/** Applies the facts of an account that have waited for what is there now. Throws AccountBusy while somebody else writes its employees. */
export async function retryWaitingFacts(pool: Pool, accountId: number): Promise<void> {
  await inAccount(pool, accountId, async (tx) => applyWaiting(tx, await lockForFacts(tx, accountId)));
}

/** As retryWaitingFacts, under the account's lock. Goes on while one fact makes way for another. */
export async function applyWaiting(tx: Client, account: LockedAccount): Promise<void> {
  const { accountId } = account;
  for (;;) {
    const ready = await readyFacts(tx, accountId);
    const done = ready.length === 0 ? [] : await applyReady(tx, account, ready);
    if (done.length === 0) break;
    await dropWaiting(tx, accountId, done);
  }
  const supervisedIds = await giveAwaitedSupervisors(tx, accountId);
  await forgetRecords(tx, accountId, { removedIds: [], importIds: [], supervisedIds });
}

async function applyReady(tx: Client, account: LockedAccount, ready: readonly WaitingFact[]): Promise<readonly WaitingFact[]> {
  const statements = ready.map(({ fact, revision }) => readStatement({ ...asIncoming(Fact.decode(fact), 0), revision }));
  const { unknown, refused } = await writeStatements(tx, account, statements);
  const left = new Set([...unknown, ...refused].map(waitingKey));
  return ready.filter(({ thing_id }) => !left.has(thing_id));
}
