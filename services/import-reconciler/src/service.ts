import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { type AccountWorker, startAccountWork } from '@survey/bus/account-work.ts';
import { type BusConnection, openBus } from '@survey/bus/connection.ts';
import { consume } from '@survey/bus/consume.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import { deferredFactWork } from '@survey/bus/facts/retry-deferred.ts';
import { type OutboxRelay, startOutboxRelay } from '@survey/bus/outbox.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { isReachable, openDatabase, openPool } from '@survey/postgres/open-database.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { type Service, type ServiceContext, startService } from '@survey/process/service.ts';
import { ImportJob } from '@survey/proto/events/v1/events.ts';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { serve } from '@survey/rpc/serve.ts';
import { AccountSlots } from './account-slots.ts';
import { allowDeletes } from './apply/allow-deletes.ts';
import { dryRunImport, MAX_DRY_RUNS } from './apply/dry-run-import.ts';
import { endRunningAttempts } from './apply/attempts.ts';
import { ImportPhases } from './apply/import-phases.ts';
import { createImportWorker, type ImportWorkerContext } from './apply/import-worker.ts';
import { startSweeper } from './apply/sweep.ts';
import type { Settings } from './config.ts';
import { unusedValues } from './erasure/delete-unused-values.ts';
import { eraseEmployeeData, queueErasure } from './erasure/erase-employee-data.ts';
import { offboardedRetention } from './erasure/expire-offboarded.ts';
import { createEmployeeFactHandler } from './facts/employee-facts.ts';
import { retryDeferredFacts } from './facts/deferred-employee-facts.ts';
import { createMailer } from './mail/mailer.ts';
import { mailWorks, startMailSender } from './mail/send-mails.ts';
import { rekeyEmployees } from './rekey/rekey-employees.ts';
import type { BodyLimits } from './snapshot/body-bytes.ts';
import { checkSnapshot, startImport } from './upload/start-import.ts';
import { UPLOAD_CONNECTIONS, Uploads } from './upload/uploads.ts';
import { valueChangeWork, queueValueChange } from './change-values.ts';

/**
 * Starts the sole writer of employees, attributes and grants: accepts snapshots and applies them in
 * the background.
 */
export function startImportReconciler(settings: Settings): Promise<Service> {
  return startService('import-reconciler', settings, async (context) => {
    // Two per import (one more is short) and dry run, plus the relay, the sweeper, facts, mails, a
    // map of import_ids, and the check that cancels dry runs for imports.
    const maxConnections = 2 * (settings.IMPORT_CONCURRENCY + 1 + MAX_DRY_RUNS) + 8;
    const transactionIdleMs = settings.IDLE_IN_TRANSACTION_TIMEOUT_SECONDS * 1_000;
    const pool = openDatabase(
      { url: settings.DATABASE_URL, name: 'import-reconciler', maxConnections, transactionIdleMs },
      context,
    );
    const uploadPool = openPool(
      'uploads',
      { url: settings.DATABASE_URL, name: 'import-reconciler', maxConnections: UPLOAD_CONNECTIONS },
      context,
    );
    const uploads = new Uploads(uploadPool);
    await waitForCompatibleSchema(pool, context);
    const bus = openBus(settings.NATS_URL, 'import-reconciler', context);
    const relay = startOutboxRelay(pool, 'imports', bus, context);
    const largeImports = new AccountSlots({ max: 1, maxPerAccount: 1 });
    const phases = new ImportPhases(pool, context);
    startImports({ ...context, pool, bus, phases, largeImports, wake: relay.wake }, settings);
    const accountWork = startIntake(pool, bus, relay, settings, context);
    const firstRetryMs = 1_000 * settings.MAIL_RETRY_INITIAL_SECONDS;
    const longestRetryMs = 1_000 * settings.MAIL_RETRY_MAX_SECONDS;
    startMailSender(
      pool,
      { mailer: createMailer(settings), consoleUrl: settings.CONSOLE_URL, firstRetryMs, longestRetryMs },
      context,
    );
    const limits = bodyLimits(settings);
    const address = await serve(
      settings.GRPC_LISTEN,
      ImportServiceDefinition,
      {
        startImport: startImport({ uploads, phases, wake: relay.wake, limits }),
        allowDeletes: allowDeletes({ pool, wake: relay.wake }),
        eraseEmployee: queueErasure(pool, accountWork.wake),
        rekeyEmployees: rekeyEmployees({ pool, wake: relay.wake }),
        changeValue: queueValueChange(pool, accountWork.wake),
        checkSnapshot: checkSnapshot(uploads, limits),
        dryRunImport: dryRunImport(pool, largeImports),
      },
      context,
    );
    // First when the process stops, before it waits for the imports.
    context.resources.defer(() => endRunningAttempts(pool, context.log));
    return { address, ready: () => isReachable(pool) };
  });
}

type ImportResources = Pick<ImportWorkerContext, keyof ServiceContext | 'pool' | 'bus' | 'phases' | 'largeImports' | 'wake'>;

function startImports(context: ImportResources, settings: Settings): void {
  const { pool, bus } = context;
  const concurrency = settings.IMPORT_CONCURRENCY;
  const worker = createImportWorker({
    ...context,
    concurrency,
    retentionDays: settings.IMPORT_RETENTION_DAYS,
    allowDeletesDays: settings.ALLOW_DELETES_DAYS,
  });
  startSweeper(pool, worker, settings.SWEEP_INTERVAL_SECONDS * 1_000, context);
  const handle = (payload: Uint8Array): Promise<void> => {
    const { account_id, import_uuid } = ImportJob.decode(payload);
    return worker.run({ accountId: account_id, importUuid: import_uuid });
  };
  const positions = { pool, schema: 'imports' } as const;
  consume(bus, { consumer: 'import-reconciler', positions, concurrency: concurrency + 1, handle }, context);
}

const MIB = 2 ** 20;

function bodyLimits(settings: Settings): BodyLimits {
  return {
    compressedBytes: settings.MAX_GZIP_BODY_MIB * MIB,
    jsonBytes: settings.MAX_JSON_BODY_MIB * MIB,
    inflationRatio: settings.MAX_INFLATION_RATIO,
  };
}

// Only for recovery: normally, events wake the worker.
const POLL_MS = 5_000;

/**
 * Consumes facts about employees, retries the deferred ones, erases employees, and schedules mails
 * about the disclosure guard.
 */
function startIntake(
  pool: Pool,
  bus: BusConnection,
  relay: OutboxRelay,
  settings: Pick<Settings, 'OFFBOARDED_RETENTION_DAYS' | 'IMPORT_RETENTION_DAYS'>,
  context: ServiceContext,
): AccountWorker {
  const consumer = 'import-reconciler-employee';
  consumeFacts(bus, { consumer, kind: 'employee', schema: 'imports', pool, apply: createEmployeeFactHandler() }, context);
  const retries = deferredFactWork(pool, 'imports', retryDeferredFacts(pool));
  const erasures = employeeErasureWork(pool, 'imports', eraseEmployeeData(pool, relay.wake));
  const works = [
    retries,
    accountDeletionWork(pool, 'imports'),
    erasures,
    offboardedRetention(pool, settings.OFFBOARDED_RETENTION_DAYS, context.metrics),
    unusedValues(pool, settings.IMPORT_RETENTION_DAYS),
    valueChangeWork(pool, relay.wake),
    ...mailWorks(pool),
  ];
  return startAccountWork({ pool, schema: 'imports', bus, pollMs: POLL_MS }, works, context);
}
