import type { ImportReason } from '@survey/formats/import-reasons.ts';
import { type Client, escapeLiteral, type Pool, queryInAccount } from '@survey/postgres/database.ts';
import { LARGE_BYTES } from '../tables/stored-body.ts';

// Version of the rules by which this code validates and applies imports; accepted bodies are not
// validated again. Workers only claim imports of their own version.
export const PLAN_VERSION = 1;

export interface ImportRow {
  accepted_year: number;
  content_encoding: 'gzip' | 'identity';
  employees_total: number;
  deletes_allowed: boolean;
  // ContentDigest of the records; null unless all of them were known when it was accepted.
  content_digest: Buffer | null;
}

/**
 * Locks the import until the transaction ends; the lock is the lease. Returns undefined when
 * another worker holds it or the import has ended.
 */
export async function claimImport(tx: Client, accountId: number, importUuid: string): Promise<ImportRow | undefined> {
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

// Delays double from 1 s to 15 min, which is about 100 attempts in the 24 hours after the first.
const MAX_DELAY_SECONDS = 900;
export const RETRY_HOURS = 24;
// Prevents an outage of more than a day from ending an import after few attempts.
const MIN_ATTEMPTS = 30;

export interface Attempt {
  number: number;
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
export async function countAttempt(
  pool: Pool,
  { accountId, importUuid }: { accountId: number; importUuid: string },
  mayBeLarge: boolean,
): Promise<Attempt | undefined> {
  const [attempt] = await queryInAccount<Attempt>(
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
  return attempt;
}

export interface QueuedImport {
  accepted_ms: number;
  employees_total: number;
  // Of the request that submitted it.
  traceparent: string | null;
  // Whether an attempt at it may have ended a process.
  is_suspect: boolean;
}

/**
 * Returns what is known of an import before its attempt begins; undefined when it has ended or
 * another worker is applying it.
 */
export async function findQueuedImport(
  pool: Pool,
  { accountId, importUuid }: { accountId: number; importUuid: string },
): Promise<QueuedImport | undefined> {
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

/** Counts an attempt that failed because of the import itself. */
export async function recordFailedAttempt(tx: Client, accountId: number, importUuid: string): Promise<void> {
  await tx.query(
    `update imports.import set failed_attempts = failed_attempts + 1
     where account_id = $1 and import_uuid = $2 and finished_at is null`,
    [accountId, importUuid],
  );
}

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  reactivated: number;
  skipped: number;
  offboarded: number;
}

export const ZERO_COUNTS: Counts = { created: 0, updated: 0, unchanged: 0, reactivated: 0, skipped: 0, offboarded: 0 };

export interface ImportOutcome {
  state: 'applied' | 'cancelled' | 'failed';
  counts: Counts;
  // Why it was cancelled or has failed.
  reasons: readonly ImportReason[];
  // What was noticed about the snapshot as a whole.
  warnings?: readonly ImportReason[];
  // Whether thresholds were the only reasons.
  cancelledForDeletes?: boolean;
  // Inputs of the threshold decision; absent when it was not made.
  managed?: number | undefined;
  deletionThreshold?: string | undefined;
}

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
export async function finishImport(
  tx: Client,
  { accountId, importUuid }: { accountId: number; importUuid: string },
  { state, counts, reasons, warnings = [], cancelledForDeletes = false, managed, deletionThreshold }: ImportOutcome,
  { retentionDays, allowDeletesDays }: Retention,
): Promise<void> {
  await tx.query(
    `${DELETE_ATTEMPT}${cancelledForDeletes ? '' : DELETE_BODY}
     update imports.import
     set state = $3, finished_at = statement_timestamp(), reasons = $4::jsonb, cancel_reasons = $16::text[], warnings = $17::jsonb,
         created = $5, updated = $6, unchanged = $7, reactivated = $8, skipped = $9, offboarded = $10,
         managed = $11, deletion_threshold = $12::numeric, cancelled_for_deletes = $13,
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
    ],
  );
}

/** Returns whether an import of the account is accepted and has not ended. */
export async function isImportRunning(tx: Client, accountId: number): Promise<boolean> {
  const { rowCount } = await tx.query('select from imports.import where account_id = $1 and finished_at is null', [accountId]);
  return rowCount !== 0;
}
