import type { BusConnection } from '@survey/bus/connection.ts';
import { consumeFacts } from '@survey/bus/intake.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { applyAssignments } from './assignments.ts';
import { CYCLES } from './cycles.ts';
import { applyToTable } from './fact-table.ts';
import { INITIATIVES } from './initiatives.ts';
import { QUESTIONS } from './questions.ts';
import { SURVEYS } from './surveys.ts';
import { retryDeferredAssignments } from './retry-deferred.ts';

/** Ingests the application's facts about surveys, and about what belongs to surveys. */
export function startIntake(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const here = { schema: 'export', pool } as const;
  consumeFacts(bus, { ...here, consumer: 'export-survey', kind: 'survey', apply: applyToTable(SURVEYS) }, context);
  consumeFacts(bus, { ...here, consumer: 'export-question', kind: 'question', apply: applyToTable(QUESTIONS) }, context);
  consumeFacts(bus, { ...here, consumer: 'export-cycle', kind: 'cycle', apply: applyToTable(CYCLES) }, context);
  consumeFacts(bus, { ...here, consumer: 'export-initiative', kind: 'initiative', apply: applyToTable(INITIATIVES) }, context);
  consumeFacts(bus, { ...here, consumer: 'export-assignment', kind: 'assignment', apply: applyAssignments }, context);
  retryDeferredAssignments(pool, bus, context);
}
