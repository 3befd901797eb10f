import { openBus } from '@survey/bus/connection.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { openReplicaReader, primaryReader } from '@survey/postgres/replica/reader.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { serve } from '@survey/rpc/serve.ts';
import type { Settings } from './config.ts';
import { startIntake } from './facts/start-intake.ts';
import { listAttributeOptions } from './lists/list-attributes.ts';
import { listAttributes } from './lists/list-attributes.ts';
import { listEmployees } from './employees/list-employees.ts';
import { listInitiatives } from './lists/list-initiatives.ts';
import { listQuestions } from './lists/list-questions.ts';
import { listSurveyAssignments } from './lists/list-survey-assignments.ts';
import { listSurveyCycles } from './lists/list-survey-cycles.ts';
import { listSurveys } from './lists/list-surveys.ts';

// The intake uses 12 at most: two per kind of fact and two for deferred facts. The others remain
// for reads.
const CONNECTIONS = 24;
const REPLICA_CONNECTIONS = 12;

/**
 * Starts the service that reads the contract's lists, and ingests all of their data except
 * employees.
 */
export function startExport(settings: Settings): Promise<Service> {
  return startService('export', settings, async (tools) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'export', maxConnections: CONNECTIONS }, tools);
    await waitForCompatibleSchema(pool, tools);
    const { DATABASE_REPLICA_URL: url, DATABASE_REPLICA_MAX_LAG_SECONDS: maxLagSeconds } = settings;
    const read = openReplicaReader(pool, { url, name: 'export', maxConnections: REPLICA_CONNECTIONS, maxLagSeconds }, tools);
    startIntake(pool, openBus(settings.NATS_URL, 'export', tools), tools);
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
    const address = await serve(settings.GRPC_LISTEN, ExportServiceDefinition, handlers, tools);
    return { address, ready: () => isReachable(pool) };
  });
}
