import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import type { AllowDeletesRequest, AllowDeletesResponse } from '@survey/proto/imports/v1/imports.ts';
import { conflict, notFound } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import { importRunning, queueImport } from '../upload/queue-import.ts';
import { readIntegration } from './connected-integration.ts';

interface AllowDeletesContext {
  pool: Pool;
  // Wakes the relay to publish messages.
  wake: (accountId: number) => void;
}

/**
 * Overrides the deletion threshold for one import, once (ADR 13). A pending import is marked. An
 * import that the threshold cancelled runs again as a new import of the same snapshot, with the
 * current year for its derived buckets (rule IMPORT-ATTRIBUTES-YEARS-4).
 * Fails with `conflict` when an old snapshot could overwrite a newer one.
 */
export function allowDeletes({ pool, wake }: AllowDeletesContext) {
  return async (request: AllowDeletesRequest, call: CallContext): Promise<AllowDeletesResponse> => {
    const accountId = accountOf(call);
    const importUuid = await inAccount(pool, accountId, (tx) => overrideThreshold(tx, accountId, request));
    wake(accountId);
    return { import_uuid: importUuid };
  };
}

async function overrideThreshold(tx: Client, accountId: number, request: AllowDeletesRequest): Promise<string> {
  const { import_uuid: importUuid } = request;
  const candidate = await lockForOverride(tx, accountId, importUuid);
  if (candidate === undefined) throw notFound(`the account has no import ${importUuid}`);
  if (candidate === 'locked')
    throw conflict('the import is being applied or its snapshot deleted: retry when that has ended', 'being_applied');
  assertOverridable(candidate);
  if (candidate.state === 'accepted') {
    await markOverridden(tx, accountId, importUuid);
    return importUuid;
  }
  await rerunImport(tx, accountId, request, candidate);
  return request.new_import_uuid;
}

function assertOverridable({ state, deletes_allowed, cancelled_for_deletes, released_as }: OverrideCandidate): void {
  const overridden = 'the threshold of the import was overridden already';
  if (released_as !== null) throw conflict(`${overridden}: its snapshot runs again as ${released_as}`, 'overridden_already');
  if (deletes_allowed) throw conflict(overridden, 'overridden_already');
  if (state === 'accepted' || (state === 'cancelled' && cancelled_for_deletes)) return;
  if (state === 'cancelled')
    throw conflict('the import was also cancelled for other reasons: correct the snapshot and send it again', 'other_reasons');
  throw conflict(
    `the import is ${state}: the threshold can be overridden only for a queued import and one that it has cancelled`,
    'ended_otherwise',
  );
}

async function rerunImport(
  tx: Client,
  accountId: number,
  { import_uuid: importUuid, new_import_uuid: newImportUuid }: AllowDeletesRequest,
  candidate: OverrideCandidate,
): Promise<void> {
  if ((await readIntegration(tx, accountId)) === undefined) {
    throw notFound('the REST API integration is not connected for this account: the import would be cancelled again');
  }
  const isQueued = await queueImport(tx, {
    accountId,
    importUuid: newImportUuid,
    contentEncoding: candidate.content_encoding,
    employeesTotal: candidate.employees_total,
    largestRecordBytes: candidate.largest_record_bytes,
    idempotencyKey: undefined,
    bodySha256: undefined,
    releasedFrom: importUuid,
  });
  if (!isQueued) throw await importRunning(tx, accountId);
  // The account's only import slot is taken, so no other import can be accepted between this check
  // and the commit.
  const newer = await newerImport(tx, accountId, importUuid, newImportUuid);
  if (newer !== undefined) {
    throw conflict(`import ${newer} was accepted since: an older snapshot must not overwrite a newer one`, 'newer_import');
  }
  if (!(await moveBody(tx, accountId, importUuid, newImportUuid))) {
    throw conflict('the snapshot of the import was deleted after its retention: send it again', 'snapshot_deleted');
  }
}

interface OverrideCandidate {
  state: string;
  deletes_allowed: boolean;
  // Whether the deletion threshold was the only reason for the cancellation.
  cancelled_for_deletes: boolean;
  content_encoding: 'gzip' | 'identity';
  employees_total: number;
  largest_record_bytes: number;
  // The import that reran its snapshot.
  released_as: string | null;
}

/**
 * Locks an import for the override. Returns 'locked' while a worker runs it, and undefined if the
 * account has no such import.
 */
async function lockForOverride(
  tx: Client,
  accountId: number,
  importUuid: string,
): Promise<OverrideCandidate | 'locked' | undefined> {
  const { rows } = await tx.query<OverrideCandidate>(
    `select state, deletes_allowed, cancelled_for_deletes, content_encoding, employees_total, largest_record_bytes,
            (select r.import_uuid from imports.import r where r.account_id = $1 and r.rerun_of = $2) as released_as
     from imports.import where account_id = $1 and import_uuid = $2 for update skip locked`,
    [accountId, importUuid],
  );
  if (rows[0] !== undefined) return rows[0];
  const there = await tx.query('select from imports.import where account_id = $1 and import_uuid = $2', [accountId, importUuid]);
  return there.rowCount === 0 ? undefined : 'locked';
}

async function markOverridden(tx: Client, accountId: number, importUuid: string): Promise<void> {
  await tx.query('update imports.import set deletes_allowed = true where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
  ]);
}

/** Returns an import accepted after this one, in any state, other than `except`. */
async function newerImport(tx: Client, accountId: number, importUuid: string, except: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ import_uuid: string }>(
    `select newer.import_uuid from imports.import newer
     join imports.import i on i.account_id = newer.account_id and i.accepted_at < newer.accepted_at
     where i.account_id = $1 and i.import_uuid = $2 and newer.import_uuid <> $3
     order by newer.accepted_at desc limit 1`,
    [accountId, importUuid, except],
  );
  return rows[0]?.import_uuid;
}

/** Moves the kept body of a locked import to another. Returns false when it was already deleted. */
async function moveBody(tx: Client, accountId: number, from: string, to: string): Promise<boolean> {
  const released = await tx.query(
    `update imports.import set body_kept_until = null where account_id = $1 and import_uuid = $2 and body_kept_until > statement_timestamp()`,
    [accountId, from],
  );
  if (released.rowCount === 0) return false;
  const { rowCount } = await tx.query('update imports.payload set import_uuid = $3 where account_id = $1 and import_uuid = $2', [
    accountId,
    from,
    to,
  ]);
  return rowCount !== 0;
}
