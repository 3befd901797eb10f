import { listen } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { applyResponses } from '../intake/apply-responses.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { accountsThatWait, fillOptions, readyResponses } from '../sql/waiting-responses.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 1_000;

/**
 * Takes in responses as soon as the employees whom they wait for are there: when an import says that it was applied, and every 2 s whatever
 * the bus has lost.
 */
export function retryWaiting(pool: Pool, bus: BusConnection, { log, resources }: ServiceTools): void {
  const looking = new Set<Promise<void>>();
  const look = (accountIds: () => Promise<readonly number[]>): void => {
    const done = takeInReady(pool, accountIds)
      .catch((error: unknown) => log.warn({ err: error }, 'waiting responses could not be taken in'))
      .finally(() => looking.delete(done));
    looking.add(done);
  };
  const timer = setInterval(() => {
    if (looking.size === 0) look(() => accountsThatWait(pool));
  }, EVERY_MS);
  const applied = listen(bus, 'events.import.applied', (payload) => {
    look(() => Promise.resolve([ImportEvent.decode(payload).account_id]));
  });
  resources.defer(async () => {
    clearInterval(timer);
    applied[Symbol.dispose]();
    await Promise.all(looking);
  });
}

async function takeInReady(pool: Pool, accountIds: () => Promise<readonly number[]>): Promise<void> {
  for (const accountId of await accountIds()) {
    let mayBeMore = true;
    while (mayBeMore) mayBeMore = await takeInSome(pool, accountId);
  }
}

/** Takes in some of the account's responses whose employees have come. False when that was all. */
export function takeInSome(pool: Pool, accountId: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    await lockAccountState(tx, accountId);
    await fillOptions(tx, accountId);
    const facts = await readyResponses(tx, accountId, AT_ONCE);
    // They were fit when they were put aside, and leave the table with what they become.
    const rejected = await applyResponses(tx, accountId, facts);
    return facts.length === AT_ONCE && rejected.length === 0;
  });
}
