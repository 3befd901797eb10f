import { shareImportIds } from '@survey/bus/facts/former-import-ids.ts';
import { enqueue } from '@survey/bus/outbox.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import type { Client } from '@survey/postgres/database.ts';
import { activeTraceparent } from '@survey/process/trace-context.ts';
import { ImportEvent, ImportJob } from '@survey/proto/events/v1/events.ts';
import { conflict } from '@survey/rpc/application-error.ts';
import { PLAN_VERSION } from '../apply/import-lifecycle.ts';
import { ZERO_COUNTS } from '../apply/import-outcome.ts';

export interface Acceptance {
  accountId: number;
  importUuid: string;
  contentEncoding: 'gzip' | 'identity';
  employeesTotal: number;
  largestRecordBytes: number;
  idempotencyKey: string | undefined;
  // SHA-256 of the JSON bytes; only with an idempotency key.
  bodySha256: Buffer | undefined;
  // ContentDigest of the records; absent unless all of them are known, and for a rerun.
  contentDigest?: Buffer | undefined;
  // The API key that sent it; absent for a rerun.
  keyId?: string;
  // How long the upload took (import-phases.ts); absent for a rerun.
  phaseMs?: object;
  // The import whose threshold an operator has overridden, and whose snapshot this one reruns.
  releasedFrom?: string;
}

/**
 * Takes the account's only slot for a running import and enqueues the job and the event. Returns
 * false when the slot or the idempotency key is taken.
 * @throws `conflict` when another transaction may be taking the slot
 */
export async function queueImport(tx: Client, acceptance: Acceptance): Promise<boolean> {
  const { accountId, importUuid } = acceptance;
  const ids = { account_id: accountId, import_uuid: importUuid };
  const accepted = ImportEvent.encode({ ...ids, state: 'accepted', counts: ZERO_COUNTS }).finish();
  try {
    if (!(await insertImport(tx, acceptance))) return false;
    await enqueue(tx, 'imports', accountId, [
      { subject: 'jobs.import', payload: ImportJob.encode(ids).finish() },
      { subject: 'events.import.accepted', payload: accepted },
    ]);
    return true;
  } catch (error) {
    throw sqlState(error) === LOCK_NOT_AVAILABLE ? alreadyRunning(MIN_WAIT_SECONDS) : error;
  }
}

/** Returns the error of a request that comes while an import is running. */
export async function importRunning(tx: Client, accountId: number): Promise<Error> {
  return alreadyRunning(await expectedSeconds(tx, accountId));
}

function alreadyRunning(retryAfterSeconds: number): Error {
  const detail = 'an import for this account is still running: wait until it has ended, then send the snapshot again';
  return conflict(detail, 'import_running', retryAfterSeconds);
}

const MIN_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 600;
// Estimate for an account without an earlier import, and the most that a small import may suggest
// for a large one.
const FIRST_SECONDS_PER_EMPLOYEE = 0.000_2;
const SLOWEST_SECONDS_PER_EMPLOYEE = 0.001;

/**
 * Estimates when the running import will have ended, from how long it has been running and how long
 * the account's last one took. An import that takes longer than that is expected to take another
 * half of its time so far.
 */
async function expectedSeconds(tx: Client, accountId: number): Promise<number> {
  const { rows } = await tx.query<{ employees: number; elapsed: number; pace: number | null }>(
    `select r.employees_total as employees, extract(epoch from clock_timestamp() - r.accepted_at)::float8 as elapsed, (
       select (extract(epoch from i.finished_at - i.accepted_at) / greatest(1, i.employees_total))::float8
       from imports.import i where i.account_id = $1 and i.state = 'applied' order by i.accepted_at desc limit 1) as pace
     from imports.import r where r.account_id = $1 and r.finished_at is null`,
    [accountId],
  );
  const { employees = 0, elapsed = 0, pace = null } = rows[0] ?? {};
  const total = employees * Math.min(pace ?? FIRST_SECONDS_PER_EMPLOYEE, SLOWEST_SECONDS_PER_EMPLOYEE);
  const remaining = total > elapsed ? total - elapsed : elapsed / 2;
  return Math.ceil(Math.min(Math.max(remaining, MIN_WAIT_SECONDS), LONGEST_WAIT_SECONDS));
}

// Returns false when the account's slot is taken. Another acceptance or a change of import_ids may
// hold a lock for longer than a second, which is a 409 as well.
async function insertImport(tx: Client, acceptance: Acceptance): Promise<boolean> {
  await tx.query("set local lock_timeout = '1s'");
  await shareImportIds(tx, acceptance.accountId);
  const { rowCount } = await tx.query(
    `insert into imports.import
       (account_id, import_uuid, plan_version, content_encoding, employees_total, idempotency_key, body_sha256,
        rerun_of, deletes_allowed, traceparent, largest_record_bytes, key_id, content_digest, phase_ms, accepted_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8::uuid, $8::uuid is not null, $9, $10, $11, $12, $13::jsonb, $14)
     on conflict do nothing`,
    [
      acceptance.accountId,
      acceptance.importUuid,
      PLAN_VERSION,
      acceptance.contentEncoding,
      acceptance.employeesTotal,
      acceptance.idempotencyKey ?? null,
      acceptance.bodySha256 ?? null,
      acceptance.releasedFrom ?? null,
      activeTraceparent() ?? null,
      acceptance.largestRecordBytes,
      acceptance.keyId ?? null,
      acceptance.contentDigest ?? null,
      JSON.stringify(acceptance.phaseMs ?? {}),
      await nextAcceptedAt(tx, acceptance.accountId),
    ],
  );
  return rowCount === 1;
}

// Imports are ordered by their time of acceptance, so it must be later than every earlier one, even
// after a failover to a PostgreSQL whose clock is behind. It is text because a Date has no
// microseconds, and not part of the insertion because Citus inserts no values of subqueries.
async function nextAcceptedAt(tx: Client, accountId: number): Promise<string | undefined> {
  const { rows } = await tx.query<{ accepted_at: string }>(
    `select greatest(clock_timestamp(), max(accepted_at) + interval '1 microsecond')::text as accepted_at
     from imports.import where account_id = $1`,
    [accountId],
  );
  return rows[0]?.accepted_at;
}
