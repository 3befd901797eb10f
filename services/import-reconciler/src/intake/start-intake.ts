import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { startAccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { consumeFacts } from '@survey/facts/consume-facts.ts';
import { deferredFactWork } from '@survey/facts/retry-deferred.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { createEmployeeFactHandler } from './employee-facts.ts';
import { retryDeferredFacts } from './retry-deferred.ts';

// Recovery only: events wake the worker.
const POLL_MS = 5_000;

/** Consumes facts about employees, and retries the deferred ones. */
export function startIntake(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const consumer = 'import-reconciler-employee';
  consumeFacts(bus, { consumer, kind: 'employee', schema: 'imports', pool, apply: createEmployeeFactHandler() }, context);
  const retries = deferredFactWork('imports', (accountId) => retryDeferredFacts(pool, accountId));
  startAccountWork({ pool, schema: 'imports', bus, pollMs: POLL_MS }, [retries, accountDeletionWork(pool, 'imports')], context);
}
