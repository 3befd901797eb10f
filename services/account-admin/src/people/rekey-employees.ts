import type { RekeyEmployeesRequest } from '@survey/proto/admin/v1/admin.ts';
import type { RekeyOutcome } from '@survey/proto/common/v1/rekeying.ts';
import type { ImportServiceDefinition, RekeyEmployeesRequest as ForImports } from '@survey/proto/imports/v1/imports.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { auditChange, requireReason } from '../audit/write-audit.ts';
import { callService } from '../call-service.ts';

/**
 * Gives employees other import_ids (rule IMPORT-IDENTITY-16): passes the map on as it arrives. The
 * audit names neither employees nor import_ids.
 */
export const rekeyEmployees =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (requests: AsyncIterable<RekeyEmployeesRequest>, call: CallContext): Promise<RekeyOutcome> => {
    const messages = requests[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
    const { account_id: accountId, rows, ...head } = first.value.head;
    if (!head.dry_run) requireReason(null, call);
    const after = { rows, keys: head.by_email ? 'email' : 'old_import_id', dry_run: head.dry_run };
    return auditChange(
      pool,
      call,
      accountId,
      () => Promise.resolve({ action: 'employee.rekey', before: null, after }),
      () =>
        callService('import-reconciler', call, accountId, (options) => imports.rekeyEmployees(passOn(head, messages), options)),
    );
  };

async function* passOn(
  head: NonNullable<ForImports['head']>,
  messages: AsyncIterator<RekeyEmployeesRequest>,
): AsyncGenerator<ForImports> {
  yield { head };
  for (let message = await messages.next(); message.done !== true; message = await messages.next())
    if (message.value.rows != null) yield { rows: message.value.rows };
}
