import type { AccountWork, AccountWorker } from '@survey/bus/account-work.ts';
import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { waitingAgainInMs } from '@survey/postgres/due.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { applyResponses } from '../intake/apply-responses.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { accountsWithWaitingFacts, readyResponses } from '../sql/deferred-facts.ts';

const BATCH_SIZE = 1_000;

/** Retries deferred responses, soon after they are deferred and after an import. */
export function waitingWork(pool: Pool): AccountWork {
  return {
    kind: 'facts',
    sweep: accountsWithWaitingFacts,
    work: async (accountId) =>
      (await takeInSome(pool, accountId)) ? 0 : inAccount(pool, accountId, (tx) => waitingAgainInMs(tx, 'text', accountId)),
  };
}

/** Marks deferred responses as due when an import was applied. */
export function retryAfterImports(bus: BusConnection, worker: AccountWorker, { resources }: ServiceContext): void {
  const applied = subscribe(bus, 'events.import.applied', (payload) => {
    void worker.mark(['facts'], ImportEvent.decode(payload).account_id);
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
