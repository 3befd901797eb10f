import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import type { DryRunImportRequest } from '@survey/proto/admin/v1/admin.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { withAccount } from '../account.ts';
import { checkUuid } from '../uuid.ts';
import { streamFromService } from '../call-service.ts';

/** Second call of a dry run: passes on the results of import-reconciler as they arrive. */
export const dryRunImport = (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async function* (request: DryRunImportRequest, call: CallContext): AsyncIterable<DryRunPart> {
    const { account_id: accountId, snapshot } = request;
    if (snapshot === null) throw invalid('the request must contain a snapshot');
    checkUuid(snapshot.snapshot_uuid, 'snapshot_uuid');
    await withAccount(pool, call, accountId, () => Promise.resolve());
    yield* streamFromService('import-reconciler', call, accountId, (options) => imports.dryRunImport({ snapshot }, options));
  };
