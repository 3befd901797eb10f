import { enqueue } from '@survey/bus/outbox.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import type { Client } from '@survey/postgres/database.ts';
import { activeTraceparent } from '@survey/process/trace-context.ts';
import { ImportEvent, ImportJob } from '@survey/proto/events/v1/events.ts';
import { conflict } from '@survey/rpc/application-error.ts';
import { PLAN_VERSION, ZERO_COUNTS } from '../apply/import-row.ts';

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
  // The import whose threshold an operator has overridden, and whose snapshot this one reruns.
  releasedFrom?: string;
}

/**
 * Takes the account's only slot for a running import and enqueues the job and the event. Fails with
 * `conflict` when the slot is taken.
 */
export async function queueImport(tx: Client, acceptance: Acceptance): Promise<void> {
  const { accountId, importUuid } = acceptance;
  const ids = { account_id: accountId, import_uuid: importUuid };
  const accepted = ImportEvent.encode({ ...ids, state: 'accepted', counts: ZERO_COUNTS }).finish();
  try {
    if (!(await insertImport(tx, acceptance))) throw alreadyRunning();
    await enqueue(tx, 'imports', accountId, [
      { subject: 'jobs.import', payload: ImportJob.encode(ids).finish() },
      { subject: 'events.import.accepted', payload: accepted },
    ]);
  } catch (error) {
    throw sqlState(error) === LOCK_NOT_AVAILABLE ? alreadyRunning() : error;
  }
}

function alreadyRunning(): Error {
  return conflict('an import for this account is still running: wait until it has ended, then send the snapshot again');
}

// Returns false when the account's slot is taken (409), or when its lock is not released within a
// second.
async function insertImport(tx: Client, acceptance: Acceptance): Promise<boolean> {
  await tx.query("set local lock_timeout = '1s'");
  const { rowCount } = await tx.query(
    `insert into imports.import
       (account_id, import_uuid, plan_version, content_encoding, employees_total, idempotency_key, body_sha256,
        rerun_of, deletes_allowed, traceparent, largest_record_bytes, key_id, content_digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8::uuid, $8::uuid is not null, $9, $10, $11, $12)
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
    ],
  );
  return rowCount === 1;
}
