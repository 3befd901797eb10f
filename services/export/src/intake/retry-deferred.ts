import { startAccountWork, type AccountWork } from '@survey/bus/account-work.ts';
import { accountDeletionWork, deleteClosedAccounts } from '@survey/bus/account-deletion.ts';
import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { asIncoming } from '@survey/bus/fact-batch.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { waitingAgainInMs } from '@survey/postgres/due.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { lockAssignments } from '../sql/save-assignments.ts';
import { accountsWithDeferredAssignments, readyAssignments } from '../sql/deferred-assignments.ts';
import { applyAssignments } from './assignments.ts';

// Recovery only: applied imports wake the worker.
const POLL_MS = 5_000;
const BATCH_SIZE = 1_000;

/**
 * Applies deferred facts once their employees exist. Facts are retried soon after they are
 * deferred, and when an import is applied.
 */
export function retryDeferredAssignments(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const facts: AccountWork = {
    kind: 'facts',
    sweep: accountsWithDeferredAssignments,
    work: async (accountId) =>
      (await applyBatch(pool, accountId)) ? 0 : inAccount(pool, accountId, (tx) => waitingAgainInMs(tx, 'export', accountId)),
  };
  const worker = startAccountWork({ pool, schema: 'export', bus, pollMs: POLL_MS }, [facts, accountDeletionWork(pool, 'export')], context);
  deleteClosedAccounts(bus, worker, context);
  const applied = subscribe(bus, 'events.import.applied', (payload) => {
    void worker.mark(['facts'], ImportEvent.decode(payload).account_id);
  });
  context.resources.defer(() => applied[Symbol.dispose]());
}

function applyBatch(pool: Pool, accountId: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    await lockAssignments(tx, accountId);
    const facts = await readyAssignments(tx, accountId, BATCH_SIZE);
    // Deferred facts were valid when they were stored; applying one also deletes it.
    const rejected = await applyAssignments(tx, accountId, facts.map(asIncoming));
    return facts.length === BATCH_SIZE && rejected.length === 0;
  });
}
