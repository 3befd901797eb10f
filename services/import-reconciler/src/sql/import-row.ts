import type { Client } from '@survey/postgres/database.ts';

// The version of the rules by which this code finds an import valid, and applies it: what was accepted under it is not validated again. A worker takes
// only imports that it understands.
export const PLAN_VERSION = 1;

export interface ImportRow {
  accepted_year: number;
  content_encoding: 'gzip' | 'identity';
  employees_total: number;
  deletes_allowed: boolean;
}

/** Locks the import until the transaction ends: the lock is the lease. Undefined when another worker holds it, or it is over. */
export async function claimImport(tx: Client, accountId: number, importUuid: string): Promise<ImportRow | undefined> {
  const { rows } = await tx.query<ImportRow>(
    `select extract(year from accepted_at at time zone 'utc')::int as accepted_year, content_encoding, employees_total, deletes_allowed
     from imports.import
     where account_id = $1 and import_uuid = $2 and finished_at is null and plan_version = $3
     for update skip locked`,
    [accountId, importUuid, PLAN_VERSION],
  );
  return rows[0];
}

/** Counts one more attempt; undefined when the import is held or over. */
export async function countAttempt(tx: Client, accountId: number, importUuid: string): Promise<number | undefined> {
  const { rows } = await tx.query<{ attempts: number }>(
    `update imports.import set attempts = attempts + 1
     where (account_id, import_uuid) in (
       select account_id, import_uuid from imports.import
       where account_id = $1 and import_uuid = $2 and finished_at is null and plan_version = $3
       for update skip locked)
     returning attempts`,
    [accountId, importUuid, PLAN_VERSION],
  );
  return rows[0]?.attempts;
}

export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  reactivated: number;
  skipped: number;
  offboarded: number;
}

export const NO_COUNTS: Counts = { created: 0, updated: 0, unchanged: 0, reactivated: 0, skipped: 0, offboarded: 0 };

export interface Ending {
  state: 'applied' | 'cancelled' | 'failed';
  counts: Counts;
  cancelReasons: readonly string[];
  // The deletion threshold was the only reason.
  cancelledForDeletes?: boolean;
  // What the threshold was judged on; absent when it was not.
  managed?: number | undefined;
  deletionThreshold?: string | undefined;
}

/** Writes down how an import ended, and when what is kept of its records is deleted. */
export async function finishImport(
  tx: Client,
  { accountId, importUuid }: { accountId: number; importUuid: string },
  { state, counts, cancelReasons, cancelledForDeletes = false, managed, deletionThreshold }: Ending,
  retentionDays: number,
): Promise<void> {
  await tx.query(
    `update imports.import
     set state = $3, finished_at = clock_timestamp(), cancel_reasons = $4::text[],
         created = $5, updated = $6, unchanged = $7, reactivated = $8, skipped = $9, offboarded = $10,
         managed = $11, deletion_threshold = $12::numeric, cancelled_for_deletes = $13,
         records_kept_until = clock_timestamp() + $14::float8 * interval '1 day'
     where account_id = $1 and import_uuid = $2`,
    [
      accountId,
      importUuid,
      state,
      cancelReasons,
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
    ],
  );
}
