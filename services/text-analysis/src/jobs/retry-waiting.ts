import type { AccountWork, AccountWorker } from '@survey/bus/account-work.ts';
import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { waitingAgainInMs } from '@survey/postgres/due.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { applyResponses } from '../intake/apply-responses.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { accountsWithoutOptions, fillOptions } from '../sql/fill-options.ts';
import { accountsWithWaitingFacts, readyResponses } from '../sql/deferred-facts.ts';

const BATCH_SIZE = 1_000;

/**
 * Creates the account work that retries deferred responses, after they are deferred and after an
 * import, and fills in the options of respondents who were unknown as employees when they
 * responded.
 */
export function waitingWork(pool: Pool): AccountWork[] {
  return [
    {
      kind: 'facts',
      sweep: accountsWithWaitingFacts,
      work: async (accountId) =>
        (await takeInSome(pool, accountId)) ? 0 : inAccount(pool, accountId, (tx) => waitingAgainInMs(tx, 'text', accountId)),
    },
    {
      kind: 'options',
      sweep: accountsWithoutOptions,
      work: (accountId) => inAccount(pool, accountId, (tx) => fillOptions(tx, accountId)),
    },
  ];
}

/** Marks deferred responses as due when an import was applied. */
export function retryAfterImports(bus: BusConnection, worker: AccountWorker, { resources }: ServiceContext): void {
  const applied = subscribe(bus, 'events.import.applied', (payload) => {
    void worker.mark(['facts', 'options'], ImportEvent.decode(payload).account_id);
  });
  resources.defer(() => applied[Symbol.dispose]());
}

/**
 * Applies some of the account's deferred responses whose employees now exist. Returns false when
 * none are left.
 */
export function takeInSome(pool: Pool, accountId: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    await lockAccountState(tx, accountId);
    const facts = await readyResponses(tx, accountId, BATCH_SIZE);
    // They were valid when they were deferred, and leave the table in the transaction that applies
    // them.
    const rejected = await applyResponses(tx, accountId, facts);
    return facts.length === BATCH_SIZE && rejected.length === 0;
  });
}
