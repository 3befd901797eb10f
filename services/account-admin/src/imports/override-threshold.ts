import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { AllowDeletesRequest, AllowDeletesResponse, ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { v7 as uuidv7 } from 'uuid';
import { auditChange } from '../audit/write-audit.ts';
import { findImport } from './import-summary.ts';
import { checkUuid } from '../uuid.ts';
import { callService } from '../call-service.ts';

/**
 * Lets one import exceed the deletion threshold, with a record of who decided it.
 */
export const allowDeletes =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (request: AllowDeletesRequest, call: CallContext): Promise<AllowDeletesResponse> => {
    const { account_id: accountId, import_uuid } = request;
    checkUuid(import_uuid, 'import_uuid');
    const reason = checkReason(request.reason, call);
    const ids = { import_uuid: import_uuid.toLowerCase(), new_import_uuid: uuidv7() };
    return auditChange(
      pool,
      call,
      accountId,
      async (client) => {
        const before = await findImport(client, accountId, import_uuid);
        requireExpected(request, before);
        return { action: 'import.allow-deletes', before, after: ids, reason };
      },
      () => callService('import-reconciler', call, accountId, (options) => imports.allowDeletes(ids, options)),
    );
  };

const MIN_REASON = 3;
const MAX_REASON = 200;

// An admin must give a reason to offboard more employees than the threshold allows; surveyctl need
// not.
function checkReason(typedReason: string | null | undefined, { onBehalfOf }: CallContext): string | null {
  const reason = typedReason?.trim() ?? '';
  if (reason === '' && onBehalfOf === undefined) return null;
  if (reason.length < MIN_REASON || reason.length > MAX_REASON)
    throw invalid(`reason must have ${MIN_REASON} to ${MAX_REASON} characters`);
  return reason;
}

function requireExpected({ expected_offboarded: expected }: AllowDeletesRequest, { would_offboard }: ImportSummary): void {
  if (expected != null && would_offboard != null && expected !== would_offboard)
    throw conflict(`the import would offboard ${would_offboard} employees, which is not the number that was confirmed`);
}
