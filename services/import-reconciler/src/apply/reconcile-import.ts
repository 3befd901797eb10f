import { changesEmployees } from '@survey/bus/events.ts';
import { enqueue, type OutboxEntry } from '@survey/bus/outbox.ts';
import { importReason, type ImportReason } from '@survey/formats/import-reasons.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type { Log } from '@survey/process/log.ts';
import { ImportEvent } from '@survey/proto/events/v1/events.ts';
import type { AccountSlots } from '../account-slots.ts';
import { scheduleImportMail } from '../mail/mails.ts';
import { lockAccountState, renewEmployeesVersion } from '../tables/account-lock.ts';
import { applyImport, prepareTransaction } from './apply-import.ts';
import { endAttempt, forgetAttempt, MAX_DEATHS, recordAttempt, type StartedAttempt } from './attempts.ts';
import { readIntegration } from './connected-integration.ts';
import { enqueueEmployeeEvents } from './enqueue-employee-events.ts';
import {
  claimImport,
  countAttempt,
  finishImport,
  RETRY_HOURS,
  ZERO_COUNTS,
  recordFailedAttempt,
  type Attempt,
  type ImportOutcome,
  type ImportRow,
  type Retention,
} from './import-row.ts';
import { isInfrastructureFault } from './infrastructure-fault.ts';
import type { ImportJob } from './plan-snapshot.ts';

interface ReconcileContext extends Retention {
  pool: Pool;
  log: Log;
  // Limits the imports and dry runs that need much memory.
  largeImports: AccountSlots;
  progress: (phase: string, done: number, total: number) => void;
}

// Failed attempts after which an import is given up: nothing is changed, and the account may import
// again. Fewer that ended the process are enough (attempts.ts).
const MAX_FAILED_ATTEMPTS = 5;

/**
 * Applies or cancels an accepted import in one transaction, so readers see all of it or nothing
 * (rule IMPORT-LIFECYCLE-ATOMIC-1). It is idempotent, and a crash leaves no partial state.
 * Only attempts that fail because of the import itself count towards giving up; others are repeated
 * for a day (rule IMPORT-LIFECYCLE-RETRY-2).
 * Returns undefined when the import has already ended, another worker holds it or its next attempt
 * is not due.
 */
export async function reconcileImport(job: ImportJob, tools: ReconcileContext): Promise<ImportOutcome | undefined> {
  const { pool, largeImports } = tools;
  // Without a slot, the sweeper starts a large import later. Waiting here would hold its message
  // and block other accounts' imports.
  const attempt = await countAttempt(pool, job, largeImports.hasCapacity);
  if (attempt === undefined) return undefined;
  await failpoint('import.counted');
  const started = { ...job, number: attempt.number };
  const run = () => inAccount(pool, job.accountId, (tx) => end(tx, started, attempt, tools));
  try {
    const ending = await (attempt.is_large ? largeImports.run(job.accountId, run) : run());
    forgetAttempt(started);
    return ending;
  } catch (error) {
    await endAttempt(pool, started);
    if (!isInfrastructureFault(error))
      await inAccount(pool, job.accountId, (tx) => recordFailedAttempt(tx, job.accountId, job.importUuid));
    throw error;
  }
}

async function end(
  tx: Client,
  job: StartedAttempt,
  attempt: Attempt,
  tools: ReconcileContext,
): Promise<ImportOutcome | undefined> {
  await prepareTransaction(tx);
  const row = await claimImport(tx, job.accountId, job.importUuid);
  if (row === undefined) return undefined;
  await failpoint('import.claimed');
  const ending = failedAfterRetries(attempt) ?? (await cancelOrApply(tx, job, row, tools));
  await finishImport(tx, job, ending, tools);
  const isChange = changesEmployees(ending.counts);
  if (isChange) await renewEmployeesVersion(tx, job.accountId);
  const employeeEvents = isChange ? await enqueueEmployeeEvents(tx, job) : [];
  await failpoint('import.announced');
  await enqueue(tx, 'imports', job.accountId, [...employeeEvents, importEvent(job, ending)]);
  await scheduleImportMail(tx, job, ending);
  await failpoint('import.finished');
  return ending;
}

function failedAfterRetries({ failed_attempts, is_overdue }: Attempt): ImportOutcome | undefined {
  if (failed_attempts >= MAX_FAILED_ATTEMPTS) return failed(importReason('attempts_failed', { count: failed_attempts }));
  return is_overdue ? failed(importReason('service_faults', { count: RETRY_HOURS })) : undefined;
}

const failed = (reason: ImportReason): ImportOutcome => ({ state: 'failed', counts: ZERO_COUNTS, reasons: [reason] });

async function cancelOrApply(tx: Client, job: StartedAttempt, row: ImportRow, tools: ReconcileContext): Promise<ImportOutcome> {
  // Waits for the lock first: the state at the time of applying counts (rules IMPORT-THRESHOLD-7
  // and IMPORT-LIFECYCLE-CANCEL-3).
  const state = await lockAccountState(tx, job.accountId);
  const deaths = await recordAttempt(tools.pool, job);
  await failpoint('import.account_locked');
  if (deaths >= MAX_DEATHS) return failed(importReason('process_ended', { count: deaths }));
  const integration = await readIntegration(tx, job.accountId);
  if (integration === undefined) {
    return { state: 'cancelled', counts: ZERO_COUNTS, reasons: [importReason('integration_disconnected')] };
  }
  const { pool, progress } = tools;
  return applyImport(tx, { job, row, integration, state, pool, progress });
}

function importEvent({ accountId, importUuid }: ImportJob, { state, counts }: ImportOutcome): OutboxEntry {
  const payload = ImportEvent.encode({ account_id: accountId, import_uuid: importUuid, state, counts }).finish();
  return { subject: `events.import.${state}`, payload };
}
