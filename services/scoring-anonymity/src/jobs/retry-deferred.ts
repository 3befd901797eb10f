import type { AccountWork, AccountWorker } from '@survey/bus/account-work.ts';
import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { waitingAgainInMs } from '@survey/postgres/due.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { applyResponses } from '../intake/apply-responses.ts';
import { lockAccountState } from '../sql/account-state.ts';
import { accountsWithWaitingFacts, readyResponses } from '../sql/deferred-responses.ts';

const BATCH_SIZE = 1_000;

/** Retries deferred responses, soon after they are deferred and after an import. */
export function waitingWork(pool: Pool): AccountWork {
  return {
    kind: 'facts',
    sweep: accountsWithWaitingFacts,
    work: async (accountId) =>
      (await ingestBatch(pool, accountId)) ? 0 : inAccount(pool, accountId, (tx) => waitingAgainInMs(tx, 'scoring', accountId)),
  };
}

/** Wakes the retries of an account when one of its imports is applied. */
export function retryAfterImports(bus: BusConnection, worker: AccountWorker, { resources }: ServiceContext): void {
  const applied = subscribe(bus, 'events.import.applied', (payload) => {
    void worker.mark(['facts'], ImportEvent.decode(payload).account_id);
  });
  resources.defer(() => applied[Symbol.dispose]());
}

/**
 * Ingests one batch of the account's deferred responses whose employees exist now. Returns false
 * after the last batch.
 */
export function ingestBatch(pool: Pool, accountId: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    await lockAccountState(tx, accountId);
    const facts = await readyResponses(tx, accountId, BATCH_SIZE);
    // These facts were valid when they were deferred. Applying them deletes them from the table.
    const rejected = await applyResponses(tx, accountId, facts);
    return facts.length === BATCH_SIZE && rejected.length === 0;
  });
}
