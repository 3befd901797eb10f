import type { Pool } from '@survey/postgres/database.ts';
import type {
  AllowDeletesRequest,
  AllowDeletesResponse,
  CheckSnapshotRequest,
  DryRunImportRequest,
  ImportSummary,
  RekeyEmployeesRequest,
} from '@survey/proto/admin/v1/admin.ts';
import type { CheckedSnapshot, DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import type { RekeyOutcome } from '@survey/proto/common/v1/rekeying.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { v7 as uuidv7 } from 'uuid';
import { auditChange, requireReason } from '../write-audit.ts';
import { callService, streamFromService } from '../call-service.ts';
import { checkUuid } from '../uuid.ts';
import { withAccount } from '../with-account.ts';
import { findImport } from './show-imports.ts';

/** First call of a dry run: passes the snapshot on as it arrives, and stores nothing. */
export const checkSnapshot =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (requests: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const messages = requests[Symbol.asyncIterator]();
    const { account_id: accountId, content_encoding } = await readHead(messages);
    await withAccount(pool, call, accountId, () => Promise.resolve());
    const passedOn = passOn({ head: { content_encoding } }, messages, ({ chunk }) => chunk != null && { chunk });
    return callService('import-reconciler', call, accountId, (options) => imports.checkSnapshot(passedOn, options));
  };

async function readHead<Head>(messages: AsyncIterator<{ readonly head?: Head | null | undefined }>): Promise<Head> {
  const first = await messages.next();
  if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
  return first.value.head;
}

async function* passOn<Head, Message, Part>(
  head: Head,
  messages: AsyncIterator<Message>,
  partOf: (message: Message) => Part | false,
): AsyncGenerator<Head | Part> {
  yield head;
  for (let message = await messages.next(); message.done !== true; message = await messages.next()) {
    const part = partOf(message.value);
    if (part !== false) yield part;
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

/**
 * Lets one import exceed the deletion threshold, with a record of who decided it.
 */
export const allowDeletes =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (request: AllowDeletesRequest, call: CallContext): Promise<AllowDeletesResponse> => {
    const { account_id: accountId, import_uuid } = request;
    checkUuid(import_uuid, 'import_uuid');
    const reason = request.reason?.trim() || null;
    // An admin must say why more employees leave than the threshold allows; surveyctl need not.
    if (reason !== null || call.onBehalfOf !== undefined) requireReason(reason, call);
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

function requireExpected({ expected_offboarded: expected }: AllowDeletesRequest, { would_offboard }: ImportSummary): void {
  if (expected != null && would_offboard != null && expected !== would_offboard)
    throw conflict(`the import would offboard ${would_offboard} employees, which is not the number that was confirmed`);
}

/**
 * Gives employees other import_ids (rule IMPORT-IDENTITY-16): passes the map on as it arrives. The
 * audit names neither employees nor import_ids.
 */
export const rekeyEmployees =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (requests: AsyncIterable<RekeyEmployeesRequest>, call: CallContext): Promise<RekeyOutcome> => {
    const messages = requests[Symbol.asyncIterator]();
    const { account_id: accountId, rows, ...head } = await readHead(messages);
    if (!head.dry_run) requireReason(null, call);
    const passedOn = passOn({ head }, messages, ({ rows: part }) => part != null && { rows: part });
    const after = { rows, keys: head.by_email ? 'email' : 'old_import_id', dry_run: head.dry_run };
    return auditChange(
      pool,
      call,
      accountId,
      () => Promise.resolve({ action: 'employee.rekey', before: null, after }),
      () => callService('import-reconciler', call, accountId, (options) => imports.rekeyEmployees(passedOn, options)),
    );
  };
