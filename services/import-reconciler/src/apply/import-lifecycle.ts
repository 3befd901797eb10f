import { changesEmployees } from '@survey/bus/events.ts';
import { enqueue, type OutboxEntry } from '@survey/bus/outbox.ts';
import { importReason, type ImportReason } from '@survey/formats/import-reasons.ts';
import { type Client, escapeLiteral, inAccount, type Pool, queryInAccount } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type { Log } from '@survey/process/log.ts';
import { ImportEvent } from '@survey/proto/events/v1/events.ts';
import type { AccountSlots } from '../account-slots.ts';
import { scheduleImportMail } from '../mail/mails.ts';
import { lockAccountState, renewEmployeesVersion } from '../tables/account-lock.ts';
import { LARGE_BYTES } from '../tables/stored-body.ts';
import { applyImport, prepareTransaction } from './apply-import.ts';
import { endAttempt, noteCommittedAttempt, MAX_DEATHS, recordAttempt, type StartedAttempt } from './attempts.ts';
import { readIntegration } from './connected-integration.ts';
import { enqueueEmployeeEvents } from './enqueue-employee-events.ts';
import { type ImportOutcome, ZERO_COUNTS } from './import-outcome.ts';
import type { PhaseClock } from './import-phases.ts';
import type { ImportJob, ImportRow } from './plan-snapshot.ts';
import { DatabaseUnavailableError, sqlState } from '@survey/postgres/database-error.ts';

// The life of an import. Its state is the row in imports.import; every transition is one commit.
//
//   accepted ──▶ claimed ──▶ planned ──▶ decided ──▶ applied   ──▶ mailed
//      ▲            │           │           ├──────▶ cancelled ──▶ mailed
//      └────────────┴───────────┴───────────┘        failed    ──▶ mailed
//        an attempt that fails is rolled back
//
// Accepted (upload/queue-import.ts). The upload commits the row, the validated body, and the job as
// an outbox message. An account has at most one import that is accepted: the row is its slot.
//
// Claimed. The job, or the sweeper if the job is lost, starts an attempt. Before its work begins,
// the attempt is counted and the next one scheduled, in a transaction of its own (countAttempt), so
// a worker that is killed at any moment is followed by another one: after 1 s, then after twice as
// long each time. The attempt itself is one transaction. It locks the row, and the lock is the
// lease: it ends with the connection, so nobody waits for a dead worker. It then waits for the lock
// of the account, because the state at the time of applying counts (cancelOrApply).
//
// Planned and decided (apply-import.ts). The body is read once and compared with the employees,
// then the thresholds are judged. Nothing of this is visible outside the transaction.
//
// Applied or cancelled. The same transaction writes employees, results, the end of the row
// (finishImport), the events and the mail that is due, and deletes the body. Readers see all of it
// or nothing (rule IMPORT-LIFECYCLE-ATOMIC-1). A crash before the commit leaves an accepted import;
// one after it leaves outbox messages and mails, which the relay and the mail sender find.
//
// Failed. An attempt that throws is rolled back. If the import itself is to blame, the failure is
// counted against it, and the fifth ends it. Faults of the infrastructure do not count, but end it
// after a day (rule IMPORT-LIFECYCLE-RETRY-2). A process that dies cannot count anything: the next
// attempt finds that the previous one did not end (attempts.ts), and the second death ends the
// import. An import that has failed has changed nothing, and the account may import again.
//
// Mailed (mail/send-mails.ts). A mail is a row, too, and is sent until the mail server accepts it.
//
// What is left over has an end of its own: the sweeper deletes bodies that are kept for an override
// of the threshold (allow-deletes.ts), and the outcomes of records, when their retention has ended.

// Version of the rules by which this code validates and applies imports; accepted bodies are not
// validated again. Workers only claim imports of their own version.
export const PLAN_VERSION = 1;

interface ReconcileContext extends Retention {
  pool: Pool;
  log: Log;
  // Limits the imports and dry runs that need much memory.
  largeImports: AccountSlots;
  progress: (phase: string, done: number, total: number) => void;
  clock: PhaseClock;
}

/**
 * Applies or cancels an accepted import in one transaction, so readers see all of it or nothing
 * (rule IMPORT-LIFECYCLE-ATOMIC-1). It is idempotent, and a crash leaves no partial state.
 * Only attempts that fail because of the import itself count towards giving up; others are repeated
 * for a day (rule IMPORT-LIFECYCLE-RETRY-2).
 * Returns undefined when the import has already ended, another worker holds it or its next attempt
 * is not due.
 */
export async function reconcileImport(job: ImportJob, context: ReconcileContext): Promise<ImportOutcome | undefined> {
  const { pool, log, largeImports } = context;
  // Without a slot, the sweeper starts a large import later. Waiting here would hold its message
  // and block other accounts' imports.
  const attempt = await countAttempt(pool, job, largeImports.hasCapacity);
  if (attempt === undefined) return undefined;
  await failpoint('import.counted');
  const run = () => inAccount(pool, job.accountId, (tx) => endImport(tx, attempt, context));
  try {
    const outcome = await (attempt.is_large ? largeImports.run(job.accountId, run) : run());
    noteCommittedAttempt(attempt);
    return outcome;
  } catch (error) {
    await endAttempt(pool, log, attempt);
    if (!isInfrastructureFault(error)) await inAccount(pool, job.accountId, (tx) => recordFailedAttempt(tx, job));
    throw error;
  }
}

async function endImport(tx: Client, attempt: Attempt, context: ReconcileContext): Promise<ImportOutcome | undefined> {
  await prepareTransaction(tx);
  const row = await claimImport(tx, attempt);
  if (row === undefined) return undefined;
  await failpoint('import.claimed');
  const outcome = failedAfterRetries(attempt) ?? (await cancelOrApply(tx, attempt, row, context));
  await finishImport(tx, attempt, outcome, context);
  const isChange = changesEmployees(outcome.counts);
  if (isChange) await renewEmployeesVersion(tx, attempt.accountId);
  const employeeEvents = isChange ? await enqueueEmployeeEvents(tx, attempt) : [];
  await failpoint('import.announced');
  await enqueue(tx, 'imports', attempt.accountId, [...employeeEvents, importEvent(attempt, outcome)]);
  await scheduleImportMail(tx, attempt, outcome);
  await failpoint('import.finished');
  return outcome;
}

async function cancelOrApply(tx: Client, attempt: Attempt, row: ImportRow, context: ReconcileContext): Promise<ImportOutcome> {
  // Waits for the lock first: the state at the time of applying counts (rules IMPORT-THRESHOLD-7
  // and IMPORT-LIFECYCLE-CANCEL-3).
  const state = await lockAccountState(tx, attempt.accountId);
  const deaths = await recordAttempt(context.pool, attempt);
  context.clock.enter('plan');
  await failpoint('import.account_locked');
  if (deaths >= MAX_DEATHS) return failed(importReason('process_ended', { count: deaths }));
  const integration = await readIntegration(tx, attempt.accountId);
  if (integration === undefined) {
    return { state: 'cancelled', counts: ZERO_COUNTS, reasons: [importReason('integration_disconnected')] };
  }
  const { pool, progress, clock } = context;
  return applyImport(tx, { job: attempt, row, integration, state, pool, progress, clock });
}

// Delays double from 1 s to 15 min, which is about 100 attempts in the 24 hours after the first.
const MAX_DELAY_SECONDS = 900;
const RETRY_HOURS = 24;
// Prevents an outage of more than a day from ending an import after few attempts.
const MIN_ATTEMPTS = 30;

interface Attempt extends StartedAttempt {
  // Earlier attempts that failed because of the import itself.
  failed_attempts: number;
  // Whether infrastructure faults have exceeded the retry period.
  is_overdue: boolean;
  // Whether it may need much memory: because of its largest record, or because it may have ended a
  // process.
  is_large: boolean;
}

const isSuspect = (accountId: number): string => `exists (
  select from imports.attempt a
  where a.account_id = ${accountId} and a.import_uuid = i.import_uuid and (a.in_progress or a.deaths > 0))`;
const isLarge = (accountId: number): string => `(i.largest_record_bytes > ${LARGE_BYTES} or ${isSuspect(accountId)})`;

/**
 * Counts an attempt and schedules the next one with a doubled delay, which also applies when the
 * worker is killed. Returns undefined when the import is locked, has ended or is not due, or is
 * large and must not be.
 */
async function countAttempt(pool: Pool, job: ImportJob, mayBeLarge: boolean): Promise<Attempt | undefined> {
  const { accountId, importUuid } = job;
  const [row] = await queryInAccount<Omit<Attempt, keyof ImportJob>>(
    pool,
    accountId,
    `with begun as (
     update imports.import i
     set attempts = attempts + 1, first_attempt_at = least(first_attempt_at, now()),
         next_attempt_at = to_timestamp(extract(epoch from now())::float8 + least(${MAX_DELAY_SECONDS}, 2 ^ least(attempts, 20)))
     where account_id = ${accountId} and import_uuid in (
       select import_uuid from imports.import i
       where account_id = ${accountId} and import_uuid = ${escapeLiteral(importUuid)} and finished_at is null
         and plan_version = ${PLAN_VERSION} and next_attempt_at <= now() and (${mayBeLarge} or not ${isLarge(accountId)})
       for update skip locked)
     returning import_uuid, largest_record_bytes, failed_attempts, attempts, first_attempt_at
     )
     select failed_attempts, ${isLarge(accountId)} as is_large, attempts as number, attempts > ${MIN_ATTEMPTS} and first_attempt_at < now() - interval '${RETRY_HOURS} hours' as is_overdue
     from begun i`,
  );
  return row && { ...job, ...row };
}

/**
 * Locks the import until the transaction ends; the lock is the lease. Returns undefined when
 * another worker holds it or the import has ended.
 */
async function claimImport(tx: Client, { accountId, importUuid }: ImportJob): Promise<ImportRow | undefined> {
  const { rows } = await tx.query<ImportRow>(
    `select extract(year from accepted_at at time zone 'utc')::int as accepted_year, content_encoding, employees_total, deletes_allowed,
            content_digest
     from imports.import
     where account_id = $1 and import_uuid = $2 and finished_at is null and plan_version = $3
     for update skip locked`,
    [accountId, importUuid, PLAN_VERSION],
  );
  return rows[0];
}

/** Counts an attempt that failed because of the import itself. */
async function recordFailedAttempt(tx: Client, { accountId, importUuid }: ImportJob): Promise<void> {
  await tx.query(
    `update imports.import set failed_attempts = failed_attempts + 1
     where account_id = $1 and import_uuid = $2 and finished_at is null`,
    [accountId, importUuid],
  );
}

// Failed attempts after which an import is given up: nothing is changed, and the account may import
// again. Fewer that ended the process are enough (attempts.ts).
const MAX_FAILED_ATTEMPTS = 5;

function failedAfterRetries({ failed_attempts, is_overdue }: Attempt): ImportOutcome | undefined {
  if (failed_attempts >= MAX_FAILED_ATTEMPTS) return failed(importReason('attempts_failed', { count: failed_attempts }));
  return is_overdue ? failed(importReason('service_faults', { count: RETRY_HOURS })) : undefined;
}

const failed = (reason: ImportReason): ImportOutcome => ({ state: 'failed', counts: ZERO_COUNTS, reasons: [reason] });

/** Retention after an import has ended, in days. */
export interface Retention {
  // Outcomes of its records, and its mail; an account's setting overrides it.
  retentionDays: number;
  // Body of an import cancelled by the deletion threshold; other bodies are deleted at once.
  allowDeletesDays: number;
}

const DELETE_ATTEMPT = 'with attempt as (delete from imports.attempt where account_id = $1 and import_uuid = $2)';
const DELETE_BODY = ', body as (delete from imports.payload where account_id = $1 and import_uuid = $2)';

/** Stores how an import ended, deletes its body, and stores when its remaining data is deleted. */
async function finishImport(
  tx: Client,
  { accountId, importUuid }: ImportJob,
  { state, counts, reasons, warnings = [], cancelledForDeletes = false, managed, deletionThreshold }: ImportOutcome,
  { retentionDays, allowDeletesDays, clock }: ReconcileContext,
): Promise<void> {
  await tx.query(
    `${DELETE_ATTEMPT}${cancelledForDeletes ? '' : DELETE_BODY}
     update imports.import
     set state = $3, finished_at = statement_timestamp(), reasons = $4::jsonb, cancel_reasons = $16::text[], warnings = $17::jsonb,
         created = $5, updated = $6, unchanged = $7, reactivated = $8, skipped = $9, offboarded = $10,
         managed = $11, deletion_threshold = $12::numeric, cancelled_for_deletes = $13,
         phase_ms = phase_ms || $18::jsonb,
         records_kept_until = statement_timestamp() + interval '1 day' * admin.retention_days($1, 'outcomes', $14::float8),
         body_kept_until = statement_timestamp() + interval '1 day' * $15::float8
     where account_id = $1 and import_uuid = $2`,
    [
      accountId,
      importUuid,
      state,
      JSON.stringify(reasons),
      counts.created,
      counts.updated,
      counts.unchanged,
      counts.reactivated,
      counts.skipped,
      counts.offboarded,
      managed ?? null,
      deletionThreshold ?? null,
      cancelledForDeletes,
      retentionDays,
      cancelledForDeletes ? allowDeletesDays : null,
      // Read by the previous release.
      reasons.map(({ code }) => code),
      JSON.stringify(warnings),
      JSON.stringify(clock.ms),
    ],
  );
}

function importEvent({ accountId, importUuid }: ImportJob, { state, counts }: ImportOutcome): OutboxEntry {
  const payload = ImportEvent.encode({ account_id: accountId, import_uuid: importUuid, state, counts }).finish();
  return { subject: `events.import.${state}`, payload };
}

/** Returns whether an import of the account is accepted and has not ended. */
export async function isImportRunning(tx: Client, accountId: number): Promise<boolean> {
  const { rowCount } = await tx.query('select from imports.import where account_id = $1 and finished_at is null', [accountId]);
  return rowCount !== 0;
}
export interface QueuedImport {
  accepted_ms: number;
  employees_total: number;
  // Trace of the request that submitted the import.
  traceparent: string | null;
  // Whether an earlier attempt at the import may have ended a process.
  is_suspect: boolean;
}

/**
 * Returns what is known of an import before its attempt begins; undefined when it has ended or
 * another worker is applying it.
 */
export async function findQueuedImport(pool: Pool, { accountId, importUuid }: ImportJob): Promise<QueuedImport | undefined> {
  const of = `from imports.import i
    where account_id = ${accountId} and import_uuid = ${escapeLiteral(importUuid)} and finished_at is null`;
  const [row] = await queryInAccount<QueuedImport>(
    pool,
    accountId,
    `select extract(epoch from accepted_at)::float8 * 1000 as accepted_ms, employees_total, traceparent, ${isSuspect(accountId)} as is_suspect ${of}`,
  );
  // Only the lock tells whether an attempt that has begun is still being made.
  if (row?.is_suspect !== true) return row;
  const unlocked = await queryInAccount(pool, accountId, `select ${of} for key share skip locked`);
  return unlocked.length === 0 ? undefined : row;
}

// SQLSTATE classes: lost connection (08), read-only server (25), transaction conflict (40),
// shortage of connections, memory or disk (53), locks (55), intervention such as shutdown (57),
// server faults (58, XX). Then operating-system errors of Node.js.
const INFRASTRUCTURE = /^(?:08|25|40|53|55|57|58|XX)|^E(?!RR_)[A-Z]+$/;

/** Returns whether an attempt failed for a reason unrelated to the import. */
export function isInfrastructureFault(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || INFRASTRUCTURE.test(sqlState(error) ?? '');
}
