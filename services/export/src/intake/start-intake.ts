import type { BusConnection } from '@survey/bus/connection.ts';
import { consumeFacts } from '@survey/bus/intake.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { applyAssignments } from './assignments.ts';
import { CYCLES } from './cycles.ts';
import { applyToTable } from './fact-table.ts';
import { INITIATIVES } from './initiatives.ts';
import { QUESTIONS } from './questions.ts';
import { SURVEYS } from './surveys.ts';
import { watchWaiting } from './waiting.ts';

/** Keeps what the application states about surveys and what belongs to them. */
export function startIntake(pool: Pool, bus: BusConnection, tools: ServiceTools): void {
  const here = { schema: 'export', pool } as const;
  consumeFacts(bus, { ...here, consumer: 'export-survey', kind: 'survey', apply: applyToTable(SURVEYS) }, tools);
  consumeFacts(bus, { ...here, consumer: 'export-question', kind: 'question', apply: applyToTable(QUESTIONS) }, tools);
  consumeFacts(bus, { ...here, consumer: 'export-cycle', kind: 'cycle', apply: applyToTable(CYCLES) }, tools);
  consumeFacts(bus, { ...here, consumer: 'export-initiative', kind: 'initiative', apply: applyToTable(INITIATIVES) }, tools);
  consumeFacts(bus, { ...here, consumer: 'export-assignment', kind: 'assignment', apply: applyAssignments }, tools);
  watchWaiting(pool, bus, tools);
}
