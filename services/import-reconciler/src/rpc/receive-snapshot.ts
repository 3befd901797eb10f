import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { invalid, notFound, tooLarge } from '@survey/rpc/refusal.ts';
import { contentSalt } from '../rules/content-salt.ts';
import { SnapshotTooLarge, type BodyLimits } from '../snapshot/body-bytes.ts';
import { createElementHasher } from '../snapshot/hash.ts';
import { readSnapshot, type SnapshotSummary } from '../snapshot/read-snapshot.ts';
import { peekAccountState } from '../sql/account-state.ts';
import { readIntegration, type Integration } from '../sql/integration.ts';
import { loadKnownEmployees, nobodyKnown, type KnownEmployees } from '../sql/known-employees.ts';
import { keepPieces } from './keep-pieces.ts';

export interface Receiver {
  integration: Integration;
  known: KnownEmployees;
  salt: string;
}

/** What the account says about a snapshot before it comes. Refuses with not_found when the integration is not connected. */
export async function openReceiver(pool: Pool, accountId: number): Promise<Receiver> {
  const receiver = await inAccount(pool, accountId, (tx) => readAccount(tx, accountId));
  if (receiver === undefined) throw notFound('the REST API integration is not connected for this account');
  return receiver;
}

async function readAccount(tx: Client, accountId: number): Promise<Receiver | undefined> {
  const integration = await readIntegration(tx, accountId);
  if (integration === undefined) return undefined;
  const state = await peekAccountState(tx, accountId);
  if (state === undefined) return { integration, known: nobodyKnown(), salt: '' };
  return { integration, known: await loadKnownEmployees(tx, accountId, state.employees), salt: state.hash_salt };
}

export interface Receiving {
  pool: Pool;
  accountId: number;
  importUuid: string;
  encoding: 'gzip' | 'identity';
  limits: BodyLimits;
  // Sees the JSON as it passes.
  onJson?: (json: Uint8Array) => void;
}

/**
 * Validates a body whole while it is kept, and answers with the number of its employees; nothing of it is held in memory. Refuses with invalid or
 * too_large. What it has kept by then is the caller's to delete. The receiver is used up.
 */
export async function receiveSnapshot(
  chunks: AsyncIterable<Buffer>,
  { integration, known, salt }: Receiver,
  { pool, accountId, importUuid, encoding, limits, onJson }: Receiving,
): Promise<number> {
  const hasher = await createElementHasher(contentSalt(salt, new Date().getUTCFullYear(), integration.default_language));
  const pieces = keepPieces(chunks, { pool, accountId, importUuid });
  try {
    const summary = await readSnapshot(pieces, { encoding, hasher, limits, known: known.hashes, ...(onJson ? { onJson } : {}) });
    refuseFindings(summary);
    return summary.employees;
  } catch (error) {
    throw error instanceof SnapshotTooLarge ? tooLarge(`${error.message}: send fewer bytes`) : error;
  } finally {
    // The import may begin in this process within milliseconds, and loads a table of its own.
    known.hashes.free();
  }
}

function refuseFindings({ findings, findingsTotal }: SnapshotSummary): void {
  if (findingsTotal === 0) return;
  const few = findingsTotal === 1 ? 'one fault' : `${findingsTotal} faults`;
  throw invalid(`the body has ${few}: nothing was imported`, findings, findingsTotal);
}
