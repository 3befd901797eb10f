import { createHash } from 'node:crypto';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type {
  StartImportRequest,
  StartImportRequest_Head,
  StartImportResponse,
} from '@survey/rpc/gen/survey/imports/v1/imports.ts';
import { invalid, mismatch, notFound, tooLarge } from '@survey/rpc/refusal.ts';
import { contentSalt } from '../rules/content-salt.ts';
import { SnapshotTooLarge } from '../snapshot/body-bytes.ts';
import { checkContentType, checkIdempotencyKey, contentEncoding } from '../snapshot/content-headers.ts';
import { createElementHasher } from '../snapshot/hash.ts';
import { readSnapshot, type SnapshotSummary } from '../snapshot/read-snapshot.ts';
import { findByIdempotencyKey, type Acceptance } from '../sql/accept-import.ts';
import { peekAccountState } from '../sql/account-state.ts';
import { readIntegration, type Integration } from '../sql/integration.ts';
import { loadKnownEmployees, NOBODY_KNOWN, type KnownEmployees } from '../sql/known-employees.ts';
import { deletePieces } from '../sql/payload.ts';
import { keepPieces } from './keep-pieces.ts';
import { queueImport } from './queue-import.ts';

export interface StartImportTools {
  pool: Pool;
  // Tells the relay that a message waits.
  wake: () => void;
}

/**
 * Accepts a snapshot: the whole body is validated before anything is queued, and nothing of it is held in memory. The refusals in
 * their order: not_found (integration not connected), unsupported, too_large or invalid (the body), mismatch, conflict (ruling Z18).
 */
export function startImport({ pool, wake }: StartImportTools) {
  return async (requests: AsyncIterable<StartImportRequest>, call: CallContext): Promise<StartImportResponse> => {
    const accountId = accountOf(call);
    const messages = requests[Symbol.asyncIterator]();
    const head = await readHead(messages);
    const { integration, known, salt } = await inAccount(pool, accountId, (tx) => readAccount(tx, accountId));
    if (integration === undefined) throw notFound('the REST API integration is not connected for this account');
    const encoding = contentEncoding(head.content_encoding);
    checkContentType(head.content_type);
    checkIdempotencyKey(head.idempotency_key);

    const bodyHash = head.idempotency_key == null ? undefined : createHash('sha256');
    try {
      const hasher = await createElementHasher(contentSalt(salt, new Date().getUTCFullYear(), integration.default_language));
      const pieces = keepPieces(chunksOf(messages), { pool, accountId, importUuid: head.import_uuid });
      const summary = await readSnapshot(pieces, {
        encoding,
        hasher,
        known: known.hashes,
        onJson: (json) => bodyHash?.update(json),
      });
      refuseFindings(summary);
      const acceptance: Acceptance = {
        accountId,
        importUuid: head.import_uuid,
        contentEncoding: encoding,
        employeesTotal: summary.employees,
        idempotencyKey: head.idempotency_key ?? undefined,
        bodySha256: bodyHash?.digest(),
      };
      const importUuid = await accept(pool, acceptance, call);
      if (importUuid !== head.import_uuid) await deletePieces(pool, accountId, head.import_uuid);
      wake();
      return { import_uuid: importUuid };
    } catch (error) {
      await deletePieces(pool, accountId, head.import_uuid);
      throw error instanceof SnapshotTooLarge ? tooLarge(`${error.message}: send fewer bytes`) : error;
    }
  };
}

async function readHead(messages: AsyncIterator<StartImportRequest>): Promise<StartImportRequest_Head> {
  const first = await messages.next();
  if (first.done || first.value.head == null) throw invalid('the first message is not the head');
  return first.value.head;
}

async function* chunksOf(messages: AsyncIterator<StartImportRequest>): AsyncGenerator<Buffer> {
  for (let message = await messages.next(); !message.done; message = await messages.next()) {
    if (message.value.chunk != null) yield message.value.chunk;
  }
}

interface AccountToImport {
  integration: Integration | undefined;
  known: KnownEmployees;
  salt: string;
}

async function readAccount(tx: Client, accountId: number): Promise<AccountToImport> {
  const integration = await readIntegration(tx, accountId);
  const state = integration && (await peekAccountState(tx, accountId));
  if (state === undefined) return { integration, known: NOBODY_KNOWN, salt: '' };
  return { integration, known: await loadKnownEmployees(tx, accountId, state.employees), salt: state.hash_salt };
}

function refuseFindings({ findings, findingsTotal }: SnapshotSummary): void {
  if (findingsTotal === 0) return;
  const few = findingsTotal === 1 ? 'one fault' : `${findingsTotal} faults`;
  throw invalid(`the body has ${few}: nothing was imported`, findings, findingsTotal);
}

// The place is taken last of all, and only for a caller that still waits: a late commit could bring back an old snapshot.
async function accept(pool: Pool, acceptance: Acceptance, call: CallContext): Promise<string> {
  return inAccount(pool, acceptance.accountId, async (tx) => {
    const earlier = await earlierImport(tx, acceptance);
    if (earlier !== undefined) return earlier;
    await queueImport(tx, acceptance);
    call.signal.throwIfAborted();
    return acceptance.importUuid;
  });
}

// The same key with the same body is the same request (ruling J19).
async function earlierImport(tx: Client, { accountId, idempotencyKey, bodySha256 }: Acceptance): Promise<string | undefined> {
  if (idempotencyKey === undefined || bodySha256 === undefined) return undefined;
  const earlier = await findByIdempotencyKey(tx, accountId, idempotencyKey);
  if (earlier === undefined) return undefined;
  if (!earlier.body_sha256.equals(bodySha256)) throw mismatch('the Idempotency-Key was used with another body');
  return earlier.import_uuid;
}
