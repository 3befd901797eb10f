import type { Client } from '@survey/postgres/database.ts';
import { invalid, notFound, ApplicationError, tooLarge } from '@survey/rpc/application-error.ts';
import { readIntegration } from '../apply/connected-integration.ts';
import { SnapshotTooLargeError, type BodyLimits } from '../snapshot/body-bytes.ts';
import { ContentDigest } from '../snapshot/content-digest.ts';
import { contentSalt, createElementHasher } from '../snapshot/element-hasher.ts';
import { loadKnownEmployees } from '../snapshot/known-employees.ts';
import { KnownHashes } from '../snapshot/known-hashes.ts';
import { readSnapshot, type Recognition, type SnapshotSummary } from '../snapshot/read-snapshot.ts';
import { readAccountState } from '../tables/account-lock.ts';
import type { BodyStore } from './store-body.ts';
import type { Uploads } from './uploads.ts';

export interface BodyReading {
  uploads: Uploads;
  accountId: number;
  body: BodyStore;
  encoding: 'gzip' | 'identity';
  limits: BodyLimits;
  // Receives the JSON bytes as they are read.
  onJson?: (json: Uint8Array) => void;
}

interface ReceivedSnapshot extends Pick<SnapshotSummary, 'employees' | 'largestBytes'> {
  // ContentDigest of the records; absent unless all of them are known.
  contentDigest: Buffer | undefined;
}

/**
 * Validates a body as a stream and stores all but its last chunk. Returns the number of employees
 * and the size of the largest. Does not query PostgreSQL before the first record is valid.
 * @throws `invalid`, `too_large` or `not_found`; the caller must then discard the stored chunks
 */
export async function receiveSnapshot(
  chunks: AsyncIterable<Buffer>,
  { uploads, accountId, body, encoding, limits, onJson }: BodyReading,
): Promise<ReceivedSnapshot> {
  const none = { hasher: await createElementHasher(''), known: new KnownHashes(0) };
  let recognition: Recognition | undefined;
  let digest: ContentDigest | undefined;
  const onFirstValid = async () => {
    recognition = await uploads.readInAccount(accountId, (tx) => loadRecognition(tx, accountId));
    digest = new ContentDigest(recognition.hasher);
    return recognition;
  };
  const onKnown = (position: number): void => digest?.add(position, recognition?.hasher.bytes);
  try {
    const reading = { encoding, limits, ...none, onFirstValid, onKnown, ...(onJson ? { onJson } : {}) };
    const summary = await readSnapshot(body.passOn(chunks), reading);
    throwIfInvalid(summary);
    const isUnchanged = digest?.size === summary.employees;
    return { ...summary, contentDigest: isUnchanged ? digest?.toBytes() : undefined };
  } catch (error) {
    throw error instanceof SnapshotTooLargeError ? tooLarge(`${error.message}: send fewer bytes`) : error;
  } finally {
    // Frees the table at once: the import may start in this process within milliseconds and load
    // its own.
    recognition?.known.free();
  }
}

async function loadRecognition(tx: Client, accountId: number): Promise<Recognition> {
  const integration = await readIntegration(tx, accountId);
  if (integration === undefined) throw notConnected();
  const state = await readAccountState(tx, accountId);
  const knownHashes = (await loadKnownEmployees(tx, accountId, state?.employees ?? 0)).hashes;
  const { default_language, year } = integration;
  return { known: knownHashes, hasher: await createElementHasher(contentSalt(state?.hash_salt ?? '', year, default_language)) };
}

export const notConnected = (): ApplicationError => notFound('the REST API integration is not connected for this account');

/**
 * Rejects an upload whose headers or body have failed a check. `not_found` for a disconnected
 * integration takes precedence over every other error (rule AUTH-ORDER-1).
 */
export async function rejectUpload(uploads: Uploads, accountId: number, error: unknown): Promise<never> {
  if (!(error instanceof ApplicationError) || error.code === 'not_found') throw error;
  const integration = await uploads.inAccount(accountId, (tx) => readIntegration(tx, accountId));
  throw integration === undefined ? notConnected() : error;
}

function throwIfInvalid({ findings, fieldErrorsTotal }: SnapshotSummary): void {
  if (fieldErrorsTotal === 0) return;
  const few = fieldErrorsTotal === 1 ? 'one fault' : `${fieldErrorsTotal} faults`;
  throw invalid(`the body has ${few}: nothing was imported`, findings, fieldErrorsTotal);
}
