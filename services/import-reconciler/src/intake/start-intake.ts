import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { consumeFacts } from '@survey/bus/intake.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { accountsWithWaitingFacts } from '../sql/deferred-facts.ts';
import { createEmployeeFactHandler } from './employee-facts.ts';
import { AccountBusyError } from './lock-for-facts.ts';
import { retryDeferredFacts } from './retry-deferred.ts';

const INTERVAL_MS = 3_000;

/**
 * Consumes facts about employees. Deferred facts are retried after each applied import, and every
 * three seconds in case a message was lost.
 */
export function startIntake(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const { log, resources } = context;
  const consumer = 'import-reconciler-employee';
  consumeFacts(bus, { consumer, kind: 'employee', schema: 'imports', pool, apply: createEmployeeFactHandler() }, context);
  let retrying: Promise<void> | undefined;
  const failed = (error: unknown): void => {
    if (!(error instanceof AccountBusyError)) log.warn({ err: error }, 'deferred fact retry failed');
  };
  const retry = async (accountIds: readonly number[]): Promise<void> => {
    for (const accountId of accountIds) await retryDeferredFacts(pool, accountId).catch(failed);
  };
  const timer = setInterval(() => {
    retrying ??= accountsWithWaitingFacts(pool)
      .then(retry)
      .catch(failed)
      .finally(() => (retrying = undefined));
  }, INTERVAL_MS);
  const applied = subscribe(bus, 'events.import.applied', (payload) => {
    void retry([ImportEvent.decode(payload).account_id]);
  });
  resources.defer(async () => {
    clearInterval(timer);
    applied[Symbol.dispose]();
    await retrying;
  });
}
