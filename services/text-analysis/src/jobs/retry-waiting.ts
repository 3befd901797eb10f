import { listen } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { applyResponses } from '../intake/apply-responses.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { accountsWithoutOptions, fillOptions } from '../sql/fill-options.ts';
import { accountsWithWaitingFacts, readyResponses } from '../sql/waiting-facts.ts';

const RESPONSES_EVERY_MS = 2_000;
const OPTIONS_EVERY_MS = 30_000;
const AT_ONCE = 1_000;

/**
 * Takes in responses as soon as the employees whom they wait for are there: when an import says that it was applied, and every 2 s whatever
 * the bus has lost. Twice a minute it looks for the options of people who were not known as employees when they answered.
 */
export function retryWaiting(pool: Pool, bus: BusConnection, { log, resources }: ServiceTools): void {
  const under = new Set<Promise<void>>();
  const start = (work: () => Promise<void>): void => {
    const done = work()
      .catch((error: unknown) => log.warn({ err: error }, 'what waits for employees could not be looked at'))
      .finally(() => under.delete(done));
    under.add(done);
  };
  const whenIdle = (work: () => Promise<void>) => () => {
    if (under.size === 0) start(work);
  };
  const timers = [
    setInterval(
      whenIdle(async () => takeInReady(pool, await accountsWithWaitingFacts(pool))),
      RESPONSES_EVERY_MS,
    ),
    setInterval(
      whenIdle(async () => {
        for (const id of await accountsWithoutOptions(pool)) await inAccount(pool, id, (tx) => fillOptions(tx, id));
      }),
      OPTIONS_EVERY_MS,
    ),
  ];
  const applied = listen(bus, 'events.import.applied', (payload) => {
    const { account_id } = ImportEvent.decode(payload);
    start(() => takeInReady(pool, [account_id]));
  });
  resources.defer(async () => {
    for (const timer of timers) clearInterval(timer);
    applied[Symbol.dispose]();
    await Promise.all(under);
  });
}

async function takeInReady(pool: Pool, accountIds: readonly number[]): Promise<void> {
  for (const accountId of accountIds) {
    let mayBeMore = true;
    while (mayBeMore) mayBeMore = await takeInSome(pool, accountId);
  }
}

/** Takes in some of the account's responses whose employees have come. False when that was all. */
export function takeInSome(pool: Pool, accountId: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    await lockAccountState(tx, accountId);
    const facts = await readyResponses(tx, accountId, AT_ONCE);
    // They were fit when they were put aside, and leave the table with what they become.
    const rejected = await applyResponses(tx, accountId, facts);
    return facts.length === AT_ONCE && rejected.length === 0;
  });
}
