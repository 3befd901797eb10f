import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { startAccountWork } from '@survey/bus/account-work.ts';
import { type BusConnection, openBus } from '@survey/bus/connection.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import { deferredFactWork, retryDeferredFacts } from '@survey/bus/facts/retry-deferred.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { openReplicaReader, primaryReader } from '@survey/postgres/replica/reader.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { startService, type Service, type ServiceContext } from '@survey/process/service.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { serve } from '@survey/rpc/serve.ts';
import type { Settings } from './config.ts';
import { listEmployees } from './employees/list-employees.ts';
import { applyToTable } from './facts/apply-to-table.ts';
import { applyAssignments, DEFERRED_ASSIGNMENTS } from './facts/assignments.ts';
import { eraseEmployee } from './facts/erase-employee-references.ts';
import { CYCLES, QUESTIONS } from './facts/fact-tables.ts';
import { applyInitiatives, applySurveys } from './facts/erase-employee-references.ts';
import { listAttributeOptions, listAttributes } from './lists/list-attributes.ts';
import { listInitiatives } from './lists/list-initiatives.ts';
import { listQuestions } from './lists/list-questions.ts';
import { listSurveyAssignments } from './lists/list-survey-assignments.ts';
import { listSurveyCycles } from './lists/list-survey-cycles.ts';
import { listSurveys } from './lists/list-surveys.ts';

// The intake uses 12 at most: two per kind of fact and two for deferred facts. The others remain
// for reads.
const CONNECTIONS = 24;
const REPLICA_CONNECTIONS = 12;

// Recovery only: events wake the worker.
const POLL_MS = 5_000;

/**
 * Starts the service that reads the contract's lists, and ingests all of their data except
 * employees.
 */
export function startExport(settings: Settings): Promise<Service> {
  return startService('export', settings, async (context) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'export', maxConnections: CONNECTIONS }, context);
    await waitForCompatibleSchema(pool, context);
    const { DATABASE_REPLICA_URL: url, DATABASE_REPLICA_MAX_LAG_SECONDS: maxLagSeconds } = settings;
    const read = openReplicaReader(pool, { url, name: 'export', maxConnections: REPLICA_CONNECTIONS, maxLagSeconds }, context);
    startIntake(pool, openBus(settings.NATS_URL, 'export', context), context);
    const handlers = {
      listEmployees: listEmployees(read),
      listSurveys: listSurveys(read),
      listQuestions: listQuestions(read),
      listSurveyAssignments: listSurveyAssignments(read),
      listInitiatives: listInitiatives(read),
      listSurveyCycles: listSurveyCycles(read),
      // Always read from the primary: a withdrawn attribute must disappear at once.
      listAttributes: listAttributes(primaryReader(pool)),
      listAttributeOptions: listAttributeOptions(primaryReader(pool)),
    };
    const address = await serve(settings.GRPC_LISTEN, ExportServiceDefinition, handlers, context);
    return { address, ready: () => isReachable(pool) };
  });
}

/** Ingests the application's facts about surveys, and about what belongs to surveys. */
function startIntake(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const intake = { schema: 'export', pool } as const;
  consumeFacts(bus, { ...intake, consumer: 'export-survey', kind: 'survey', apply: applySurveys }, context);
  consumeFacts(bus, { ...intake, consumer: 'export-question', kind: 'question', apply: applyToTable(QUESTIONS) }, context);
  consumeFacts(bus, { ...intake, consumer: 'export-cycle', kind: 'cycle', apply: applyToTable(CYCLES) }, context);
  consumeFacts(bus, { ...intake, consumer: 'export-initiative', kind: 'initiative', apply: applyInitiatives }, context);
  consumeFacts(bus, { ...intake, consumer: 'export-assignment', kind: 'assignment', apply: applyAssignments }, context);
  const retries = deferredFactWork(pool, 'export', retryDeferredFacts(pool, DEFERRED_ASSIGNMENTS, applyAssignments));
  const works = [retries, accountDeletionWork(pool, 'export'), employeeErasureWork(pool, 'export', eraseEmployee(pool))];
  startAccountWork({ pool, schema: 'export', bus, pollMs: POLL_MS }, works, context);
}
