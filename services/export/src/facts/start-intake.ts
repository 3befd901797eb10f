import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { startAccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import { deferredFactWork, retryDeferredFacts } from '@survey/bus/facts/retry-deferred.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { eraseEmployee } from './erase-employee-references.ts';
import { applyToTable } from './apply-to-table.ts';
import { applyAssignments, DEFERRED_ASSIGNMENTS } from './assignments.ts';
import { CYCLES, QUESTIONS } from './fact-tables.ts';
import { applyInitiatives, applySurveys } from './without-erased.ts';

// Recovery only: events wake the worker.
const POLL_MS = 5_000;

/** Ingests the application's facts about surveys, and about what belongs to surveys. */
export function startIntake(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const here = { schema: 'export', pool } as const;
  consumeFacts(bus, { ...here, consumer: 'export-survey', kind: 'survey', apply: applySurveys }, context);
  consumeFacts(bus, { ...here, consumer: 'export-question', kind: 'question', apply: applyToTable(QUESTIONS) }, context);
  consumeFacts(bus, { ...here, consumer: 'export-cycle', kind: 'cycle', apply: applyToTable(CYCLES) }, context);
  consumeFacts(bus, { ...here, consumer: 'export-initiative', kind: 'initiative', apply: applyInitiatives }, context);
  consumeFacts(bus, { ...here, consumer: 'export-assignment', kind: 'assignment', apply: applyAssignments }, context);
  const retries = deferredFactWork(pool, 'export', (id) => retryDeferredFacts(pool, id, DEFERRED_ASSIGNMENTS, applyAssignments));
  const works = [retries, accountDeletionWork(pool, 'export'), employeeErasureWork(pool, 'export', eraseEmployee(pool))];
  startAccountWork({ pool, schema: 'export', bus, pollMs: POLL_MS }, works, context);
}
