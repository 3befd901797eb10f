import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { AllowDeletesRequest, AllowDeletesResponse } from '@survey/proto/imports/v1/imports.ts';
import { conflict, notFound } from '@survey/rpc/application-error.ts';
import { readIntegration } from '../tables/connected-integration.ts';
import { lockForOverride, markOverridden, moveBody, newerImport, type OverrideCandidate } from './threshold-override.ts';
import { queueImport } from '../upload/queue-import.ts';

interface AllowDeletesTools {
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
export function allowDeletes({ pool, wake }: AllowDeletesTools) {
  return async (request: AllowDeletesRequest, call: CallContext): Promise<AllowDeletesResponse> => {
    const accountId = accountOf(call);
    const importUuid = await inAccount(pool, accountId, (tx) => overrideThreshold(tx, accountId, request));
    wake(accountId);
    return { import_uuid: importUuid };
  };
}

async function overrideThreshold(tx: Client, accountId: number, request: AllowDeletesRequest): Promise<string> {
  const { import_uuid: importUuid } = request;
  const found = await lockForOverride(tx, accountId, importUuid);
  if (found === undefined) throw notFound(`the account has no import ${importUuid}`);
  if (found === 'held') throw conflict('the import is being applied or its snapshot deleted: retry when that has ended');
  assertOverridable(found);
  if (found.state === 'accepted') {
    await markOverridden(tx, accountId, importUuid);
    return importUuid;
  }
  await rerunImport(tx, accountId, request, found);
  return request.new_import_uuid;
}

function assertOverridable({ state, deletes_allowed, cancelled_for_deletes, released_as }: OverrideCandidate): void {
  if (released_as !== null)
    throw conflict(`the threshold of the import was overridden already: its snapshot runs again as ${released_as}`);
  if (deletes_allowed) throw conflict('the threshold of the import was overridden already');
  if (state === 'accepted' || (state === 'cancelled' && cancelled_for_deletes)) return;
  if (state === 'cancelled')
    throw conflict('the import was also cancelled for other reasons: correct the snapshot and send it again');
  throw conflict(
    `the import is ${state}: the threshold can be overridden only for a queued import and one that it has cancelled`,
  );
}

async function rerunImport(
  tx: Client,
  accountId: number,
  { import_uuid: importUuid, new_import_uuid: newImportUuid }: AllowDeletesRequest,
  found: OverrideCandidate,
): Promise<void> {
  if ((await readIntegration(tx, accountId)) === undefined) {
    throw notFound('the REST API integration is not connected for this account: the import would be cancelled again');
  }
  await queueImport(tx, {
    accountId,
    importUuid: newImportUuid,
    contentEncoding: found.content_encoding,
    employeesTotal: found.employees_total,
    largestRecordBytes: found.largest_record_bytes,
    idempotencyKey: undefined,
    bodySha256: undefined,
    releasedFrom: importUuid,
  });
  // The account's only import slot is taken, so no other import can be accepted between this check
  // and the commit.
  const newer = await newerImport(tx, accountId, importUuid, newImportUuid);
  if (newer !== undefined) {
    throw conflict(`import ${newer} was accepted since: an older snapshot must not overwrite a newer one`);
  }
  if (!(await moveBody(tx, accountId, importUuid, newImportUuid))) {
    throw conflict('the snapshot of the import was deleted after its retention: send it again');
  }
}
