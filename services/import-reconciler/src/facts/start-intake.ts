import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { startAccountWork, type AccountWorker } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import type { OutboxRelay } from '@survey/bus/outbox.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import { deferredFactWork } from '@survey/bus/facts/retry-deferred.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { eraseEmployee } from '../erasure/erase-employee-data.ts';
import { offboardedRetention } from '../erasure/expire-offboarded.ts';
import { guardMailWork } from '../mail/send-mails.ts';
import { createEmployeeFactHandler } from './employee-facts.ts';
import { retryDeferredFacts } from './retry-employee-facts.ts';

// Recovery only: events wake the worker.
const POLL_MS = 5_000;

/**
 * Consumes facts about employees, retries the deferred ones, erases employees, and schedules mails
 * about the disclosure guard.
 */
export function startIntake(
  pool: Pool,
  bus: BusConnection,
  { relay, retainOffboardedDays }: { readonly relay: OutboxRelay; readonly retainOffboardedDays: number },
  context: ServiceContext,
): AccountWorker {
  const consumer = 'import-reconciler-employee';
  consumeFacts(bus, { consumer, kind: 'employee', schema: 'imports', pool, apply: createEmployeeFactHandler() }, context);
  const retries = deferredFactWork(pool, 'imports', (accountId) => retryDeferredFacts(pool, accountId));
  const erasures = employeeErasureWork(pool, 'imports', eraseEmployee(pool, relay.wake));
  const works = [
    retries,
    accountDeletionWork(pool, 'imports'),
    erasures,
    offboardedRetention(pool, retainOffboardedDays, context.metrics),
    guardMailWork(pool),
  ];
  return startAccountWork({ pool, schema: 'imports', bus, pollMs: POLL_MS }, works, context);
}
