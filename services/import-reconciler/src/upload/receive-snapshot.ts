import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@survey/postgres/database.ts';
import { invalid, notFound, ApplicationError, tooLarge } from '@survey/rpc/application-error.ts';
import { readIntegration } from '../apply/connected-integration.ts';
import type { PhaseClock } from '../apply/import-phases.ts';
import { SnapshotTooLargeError, type BodyLimits } from '../snapshot/body-bytes.ts';
import { ContentDigest, contentSalt, createElementHasher } from '../snapshot/content-hash.ts';
import { loadKnownEmployees } from '../snapshot/known-employees.ts';
import { KnownHashes } from '../snapshot/known-hashes.ts';
import { readSnapshot, type Recognition, type SnapshotReading, type SnapshotSummary } from '../snapshot/read-snapshot.ts';
import { readAccountState } from '../tables/account-lock.ts';
import type { Acceptance } from './queue-import.ts';
import { BodyStore, type Uploads } from './uploads.ts';
import { checkContentType, parseContentEncoding, readIdempotencyKey } from './upload-headers.ts';

// The headers as the client sent them. A dry run has only an encoding.
interface UploadHead {
  import_uuid?: string;
  content_encoding: string;
  content_type?: string;
  idempotency_key?: string | null | undefined;
}

interface UploadMessage<Head> {
  head?: Head | null;
  chunk?: Buffer | null;
}

interface Reception {
  uploads: Uploads;
  accountId: number;
  limits: BodyLimits;
  // Does not count the time in which the client sends.
  clock?: PhaseClock;
}

interface ReceivedSnapshot<Head> extends Omit<Acceptance, 'accountId'> {
  head: Head;
  // The caller disposes of it.
  storedBody: BodyStore;
}

/**
 * Receives an upload: the head, then the body in chunks. The headers are checked first. The body is
 * validated as a stream and stored as it passes, all but its last chunk, and discarded if a check
 * fails. PostgreSQL is not queried before the first record is valid.
 * @throws `not_found` if the integration is not connected, whatever else is wrong (rule
 * AUTH-ORDER-1); otherwise `unsupported`, `invalid` or `too_large`
 */
export async function receiveSnapshot<Head extends UploadHead>(
  messages: AsyncIterable<UploadMessage<Head>>,
  { uploads, accountId, limits, clock }: Reception,
): Promise<ReceivedSnapshot<Head>> {
  const { head, body } = await readHead(messages);
  const importUuid = head.import_uuid ?? randomUUID();
  const storedBody = new BodyStore(uploads, { accountId, importUuid });
  try {
    const encoding = parseContentEncoding(head.content_encoding);
    checkContentType(head.content_type ?? '');
    const idempotencyKey = readIdempotencyKey(head.idempotency_key);
    const bodyHash = idempotencyKey === undefined ? undefined : createHash('sha256');
    const onJson = (json: Uint8Array): void => void bodyHash?.update(json);
    const passing = storedBody.passOn(clock?.ofClient(body) ?? body);
    const { employees, largestBytes, contentDigest } = await validateBody(passing, uploads, accountId, {
      encoding,
      limits,
      onJson,
    });
    return {
      head,
      storedBody,
      importUuid,
      contentEncoding: encoding,
      employeesTotal: employees,
      largestRecordBytes: largestBytes,
      idempotencyKey,
      bodySha256: bodyHash?.digest(),
      contentDigest,
    };
  } catch (error) {
    await storedBody[Symbol.asyncDispose]();
    if (!(error instanceof ApplicationError) || error.code === 'not_found') throw error;
    const integration = await uploads.inAccount(accountId, (tx) => readIntegration(tx, accountId));
    throw integration === undefined ? notConnected() : error;
  }
}

async function readHead<Head>(
  messages: AsyncIterable<UploadMessage<Head>>,
): Promise<{ head: Head; body: AsyncIterable<Buffer> }> {
  const iterator = messages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true || first.value.head == null) throw invalid('the first message must be the head');
  return { head: first.value.head, body: bodyOf(iterator) };
}

async function* bodyOf(messages: AsyncIterator<UploadMessage<unknown>>): AsyncGenerator<Buffer> {
  for (let message = await messages.next(); message.done !== true; message = await messages.next()) {
    if (message.value.chunk != null) yield message.value.chunk;
  }
}

// Returns a digest of the content only if all records are known.
async function validateBody(
  body: AsyncIterable<Buffer>,
  uploads: Uploads,
  accountId: number,
  reading: Pick<SnapshotReading, 'encoding' | 'limits' | 'onJson'>,
): Promise<Pick<SnapshotSummary, 'employees' | 'largestBytes'> & { contentDigest: Buffer | undefined }> {
  const none = { hasher: await createElementHasher(''), knownHashes: new KnownHashes(0) };
  let recognition: Recognition | undefined;
  let digest: ContentDigest | undefined;
  const onFirstValid = async () => {
    recognition = await uploads.readInAccount(accountId, (tx) => loadRecognition(tx, accountId));
    digest = new ContentDigest(recognition.hasher);
    return recognition;
  };
  const onKnown = (position: number): void => digest?.add(position, recognition?.hasher.bytes);
  try {
    const summary = await readSnapshot(body, { ...reading, ...none, onFirstValid, onKnown });
    throwIfInvalid(summary);
    const isUnchanged = digest?.size === summary.employees;
    return { ...summary, contentDigest: isUnchanged ? digest?.toBytes() : undefined };
  } catch (error) {
    throw error instanceof SnapshotTooLargeError ? tooLarge(`${error.message}: send fewer bytes`) : error;
  } finally {
    // Frees the table at once: the import may start in this process within milliseconds and load
    // its own.
    recognition?.knownHashes.free();
  }
}

async function loadRecognition(tx: Client, accountId: number): Promise<Recognition> {
  const integration = await readIntegration(tx, accountId);
  if (integration === undefined) throw notConnected();
  const state = await readAccountState(tx, accountId);
  const knownHashes = (await loadKnownEmployees(tx, accountId, state?.employees ?? 0)).hashes;
  const { default_language, year } = integration;
  return { knownHashes, hasher: await createElementHasher(contentSalt(state?.hash_salt ?? '', year, default_language)) };
}

export const notConnected = (): ApplicationError =>
  notFound('the REST API integration is not connected for this account: connect it in the web console');

function throwIfInvalid({ findings, fieldErrorsTotal }: SnapshotSummary): void {
  if (fieldErrorsTotal === 0) return;
  const detail =
    fieldErrorsTotal === 1
      ? 'the body has one fault, so nothing was imported: correct it and send the body again'
      : `the body has ${fieldErrorsTotal} faults, so nothing was imported: correct them and send the body again`;
  throw invalid(detail, findings, fieldErrorsTotal);
}
