import type { Pool } from '@survey/postgres/database.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { CheckSnapshotRequest, DryRunImportRequest } from '@survey/proto/admin/v1/admin.ts';
import type { CheckedSnapshot, DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest as ForImports, ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { callService, streamFromService } from '../call-service.ts';
import { checkUuid } from '../uuid.ts';
import { withAccount } from '../with-account.ts';

/** First call of a dry run: passes the snapshot on as it arrives, and stores nothing. */
export const checkSnapshot =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (requests: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const messages = requests[Symbol.asyncIterator]();
    const first = await messages.next();
    if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
    const { account_id: accountId, content_encoding } = first.value.head;
    await withAccount(pool, call, accountId, () => Promise.resolve());
    const passedOn = passOn({ head: { content_encoding } }, messages);
    return callService('import-reconciler', call, accountId, (options) => imports.checkSnapshot(passedOn, options));
  };

async function* passOn(head: ForImports, messages: AsyncIterator<CheckSnapshotRequest>): AsyncGenerator<ForImports> {
  yield head;
  for (let message = await messages.next(); message.done !== true; message = await messages.next()) {
    if (message.value.chunk != null) yield { chunk: message.value.chunk };
  }
}

/** Second call of a dry run: passes on the results of import-reconciler as they arrive. */
export const dryRunImport = (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async function* (request: DryRunImportRequest, call: CallContext): AsyncIterable<DryRunPart> {
    const { account_id: accountId, snapshot } = request;
    if (snapshot === null) throw invalid('the request must contain a snapshot');
    checkUuid(snapshot.snapshot_uuid, 'snapshot_uuid');
    await withAccount(pool, call, accountId, () => Promise.resolve());
    yield* streamFromService('import-reconciler', call, accountId, (options) => imports.dryRunImport({ snapshot }, options));
  };
