import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { step } from '@survey/process/step.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type {
  StartImportRequest,
  StartImportRequest_Head,
  StartImportResponse,
} from '@survey/rpc/gen/survey/imports/v1/imports.ts';
import { invalid, mismatch } from '@survey/rpc/refusal.ts';
import type { BodyLimits } from '../snapshot/body-bytes.ts';
import { checkContentType, checkIdempotencyKey, contentEncoding } from '../snapshot/content-headers.ts';
import { findByIdempotencyKey, type Acceptance } from '../sql/accept-import.ts';
import { deletePieces } from '../sql/payload.ts';
import { queueImport } from './queue-import.ts';
import { openReceiver, receiveSnapshot, type Receiver } from './receive-snapshot.ts';
import { chunksOf } from './chunks-of.ts';

export interface StartImportTools {
  pool: Pool;
  // Tells the relay that a message waits.
  wake: () => void;
  limits: BodyLimits;
}

/**
 * Accepts a snapshot: the whole body is validated before anything is queued, and nothing of it is held in memory. The refusals in
 * their order: not_found (integration not connected), unsupported, too_large or invalid (the body), mismatch, conflict (ruling Z18).
 */
export function startImport({ pool, wake, limits }: StartImportTools) {
  return async (requests: AsyncIterable<StartImportRequest>, call: CallContext): Promise<StartImportResponse> => {
    const accountId = accountOf(call);
    const messages = requests[Symbol.asyncIterator]();
    const head = await readHead(messages);
    const { import_uuid: importUuid } = head;
    const receiver = await openReceiver(pool, accountId);
    const encoding = contentEncoding(head.content_encoding);
    checkContentType(head.content_type);
    checkIdempotencyKey(head.idempotency_key);
    try {
      const incoming = { pool, accountId, importUuid, encoding, limits };
      const acceptance = await receive(chunksOf(messages), receiver, { ...incoming, idempotencyKey: head.idempotency_key });
      await step('accept.validated');
      const acceptedUuid = await accept(pool, acceptance, call);
      if (acceptedUuid !== importUuid) await deletePieces(pool, accountId, importUuid);
      await step('accept.committed');
      wake();
      return { import_uuid: acceptedUuid };
    } catch (error) {
      await deletePieces(pool, accountId, importUuid);
      throw error;
    }
  };
}

async function readHead(messages: AsyncIterator<StartImportRequest>): Promise<StartImportRequest_Head> {
  const first = await messages.next();
  if (first.done || first.value.head == null) throw invalid('the first message is not the head');
  return first.value.head;
}

interface Incoming {
  pool: Pool;
  accountId: number;
  importUuid: string;
  encoding: 'gzip' | 'identity';
  limits: BodyLimits;
  idempotencyKey: string | null | undefined;
}

async function receive(chunks: AsyncIterable<Buffer>, receiver: Receiver, incoming: Incoming): Promise<Acceptance> {
  const { accountId, importUuid, encoding, idempotencyKey } = incoming;
  const bodyHash = idempotencyKey == null ? undefined : createHash('sha256');
  const employeesTotal = await receiveSnapshot(chunks, receiver, { ...incoming, onJson: (json) => bodyHash?.update(json) });
  return {
    accountId,
    importUuid,
    contentEncoding: encoding,
    employeesTotal,
    idempotencyKey: idempotencyKey ?? undefined,
    bodySha256: bodyHash?.digest(),
  };
}

// The place is taken last of all, and only for a caller that still waits: a late commit could bring back an old snapshot.
async function accept(pool: Pool, acceptance: Acceptance, call: CallContext): Promise<string> {
  return inAccount(pool, acceptance.accountId, async (tx) => {
    const earlier = await earlierImport(tx, acceptance);
    if (earlier !== undefined) return earlier;
    await queueImport(tx, acceptance);
    await step('accept.written');
    await expectCaller(call);
    return acceptance.importUuid;
  });
}

// Whoever was paused goes on before it hears what has happened meanwhile. The second turn of the event loop looks at every socket.
async function expectCaller({ signal }: CallContext): Promise<void> {
  await nextTurn();
  await nextTurn();
  signal.throwIfAborted();
}

// The same key with the same body is the same request (ruling J19).
async function earlierImport(tx: Client, { accountId, idempotencyKey, bodySha256 }: Acceptance): Promise<string | undefined> {
  if (idempotencyKey === undefined || bodySha256 === undefined) return undefined;
  const earlier = await findByIdempotencyKey(tx, accountId, idempotencyKey);
  if (earlier === undefined) return undefined;
  if (!earlier.body_sha256.equals(bodySha256)) throw mismatch('the Idempotency-Key was used with another body');
  return earlier.import_uuid;
}
