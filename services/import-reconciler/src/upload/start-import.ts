import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type { CheckedSnapshot } from '@survey/proto/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest, StartImportRequest, StartImportResponse } from '@survey/proto/imports/v1/imports.ts';
import { forbidden, mismatch, unauthorized } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import type { BodyLimits } from '../snapshot/body-bytes.ts';
import { type ImportPhases, PhaseClock } from '../apply/import-phases.ts';
import { saveChecked } from '../tables/stored-body.ts';
import { importRunning, queueImport, type Acceptance } from './queue-import.ts';
import { notConnected, receiveSnapshot } from './receive-snapshot.ts';
import type { Uploads } from './uploads.ts';

interface StartImportContext {
  uploads: Uploads;
  phases: ImportPhases;
  // Wakes the relay to publish messages.
  wake: (accountId: number) => void;
  limits: BodyLimits;
}

/**
 * Accepts a snapshot: validates the whole body as a stream before anything is queued.
 * @throws in this order (rule AUTH-ORDER-1): `not_found` (integration not connected),
 * `unsupported`, `too_large` or `invalid` (the body), `mismatch`, `conflict`; `busy` at any time;
 * `unauthorized` or `forbidden` when the key lost its permission during the upload
 */
export function startImport({ uploads, phases, wake, limits }: StartImportContext) {
  return async (messages: AsyncIterable<StartImportRequest>, call: CallContext): Promise<StartImportResponse> => {
    const accountId = accountOf(call);
    const response = await phases.measure(new PhaseClock('upload'), (clock) =>
      uploads.receive(call, accountId, () => acceptSnapshot({ uploads, limits, clock }, messages, call)),
    );
    await failpoint('accept.committed');
    wake(accountId);
    return response;
  };
}

// A failure leaves no trace: the body is discarded unless an import owns it.
async function acceptSnapshot(
  { uploads, limits, clock }: { uploads: Uploads; limits: BodyLimits; clock: PhaseClock },
  messages: AsyncIterable<StartImportRequest>,
  call: CallContext,
): Promise<StartImportResponse> {
  const accountId = accountOf(call);
  const snapshot = await receiveSnapshot(messages, { uploads, accountId, limits, clock });
  await using storedBody = snapshot.storedBody;
  await failpoint('accept.validated');
  const response = await uploads.inAccount(accountId, async (tx) => {
    const keyId = snapshot.head.key_id;
    await assertKeyStillAllowed(tx, accountId, keyId);
    const acceptance = { ...snapshot, accountId, keyId, phaseMs: clock.ms };
    const earlier = await findIdempotentImport(tx, acceptance);
    if (earlier !== undefined) return { import_uuid: earlier, is_replay: true };
    // Takes the import slot last, and only for a caller that is still connected: a late commit
    // could bring back an old snapshot.
    if (!(await queueImport(tx, acceptance))) {
      // Perhaps by the same request, which was sent twice at once.
      const concurrent = await findIdempotentImport(tx, acceptance);
      if (concurrent === undefined) throw await importRunning(tx, accountId);
      return { import_uuid: concurrent, is_replay: true };
    }
    await storedBody.handOver(tx);
    await failpoint('accept.written');
    await assertCallerConnected(call);
    return { import_uuid: snapshot.importUuid, is_replay: false };
  });
  if (!response.is_replay) storedBody.keep();
  return response;
}

/**
 * Validates a snapshot with the same errors as StartImport, and stores it for a dry run,
 * which deletes it. The sweeper does so after an hour when none follows.
 */
export const checkSnapshot =
  (uploads: Uploads, limits: BodyLimits) =>
  async (messages: AsyncIterable<CheckSnapshotRequest>, call: CallContext): Promise<CheckedSnapshot> => {
    const accountId = accountOf(call);
    return uploads.receive(call, accountId, async () => {
      const snapshot = await receiveSnapshot(messages, { uploads, accountId, limits });
      const { importUuid, contentEncoding, employeesTotal, largestRecordBytes } = snapshot;
      await using storedBody = snapshot.storedBody;
      await storedBody.finish();
      await uploads.inAccount(accountId, (tx) => saveChecked(tx, { accountId, importUuid }, largestRecordBytes));
      storedBody.keep();
      return { snapshot_uuid: importUuid, content_encoding: contentEncoding, employees_total: employeesTotal };
    });
  };

// The gateway checked the key when the upload began, up to ten minutes ago.
async function assertKeyStillAllowed(tx: Client, accountId: number, keyId: string): Promise<void> {
  const key = await findKey(tx, accountId, keyId);
  if (key === undefined || key.is_revoked)
    throw unauthorized('The API key was revoked during the upload. Send the snapshot with a valid key.');
  if (key.scope !== 'employees:write')
    throw forbidden('The API key lost the scope employees:write during the upload. Send the snapshot with a key that has it.');
  if (!key.is_connected) throw notConnected();
}

// A process that was paused resumes before it sees closed connections. The second turn of the event
// loop polls every socket.
async function assertCallerConnected({ signal }: CallContext): Promise<void> {
  await nextTurn();
  await nextTurn();
  signal.throwIfAborted();
}

// The same key with the same body is the same request (rule IMPORT-LIFECYCLE-RETRY-1), as long as
// its import can still be the account's current state. A key that no longer answers is free again.
async function findIdempotentImport(
  tx: Client,
  { accountId, idempotencyKey, bodySha256 }: Acceptance,
): Promise<string | undefined> {
  if (idempotencyKey === undefined || bodySha256 === undefined) return undefined;
  const earlier = await findByIdempotencyKey(tx, accountId, idempotencyKey);
  if (earlier === undefined) return undefined;
  if (!earlier.still_answers) {
    await freeIdempotencyKey(tx, accountId, earlier.import_uuid);
    return undefined;
  }
  if (!earlier.body_sha256.equals(bodySha256))
    throw mismatch('the Idempotency-Key was used with another body: send this one with a new key');
  return earlier.import_uuid;
}

interface CurrentKey {
  scope: string;
  is_revoked: boolean;
  // Whether the account's REST API integration is connected.
  is_connected: boolean;
}

/** Returns the current permissions of a key; undefined when the account has no such key. */
async function findKey(tx: Client, accountId: number, keyId: string): Promise<CurrentKey | undefined> {
  const { rows } = await tx.query<CurrentKey>(
    `select scope, revoked_at is not null or coalesce(ends_at <= now(), false) as is_revoked,
            exists (select from admin.integration where account_id = $1 and disconnected_at is null) as is_connected
     from admin.api_key where account_id = $1 and key_id = $2`,
    [accountId, keyId],
  );
  return rows[0];
}

interface EarlierImport {
  import_uuid: string;
  body_sha256: Buffer;
  // Rule IMPORT-LIFECYCLE-RETRY-4.
  still_answers: boolean;
}

/** Returns the import that an Idempotency-Key was used for before. */
async function findByIdempotencyKey(tx: Client, accountId: number, key: string): Promise<EarlierImport | undefined> {
  const { rows } = await tx.query<EarlierImport>(
    `select import_uuid, body_sha256,
            finished_at is null or state = 'applied' and finished_at > now() - interval '24 hours' and not exists (
              select from imports.import newer where newer.account_id = $1 and newer.accepted_at > i.accepted_at) as still_answers
     from imports.import i where account_id = $1 and idempotency_key = $2`,
    [accountId, key],
  );
  return rows[0];
}

async function freeIdempotencyKey(tx: Client, accountId: number, importUuid: string): Promise<void> {
  await tx.query(
    'update imports.import set idempotency_key = null, body_sha256 = null where account_id = $1 and import_uuid = $2',
    [accountId, importUuid],
  );
}
