import type { AccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { purgeFacts, recordDeletion, recordedDeletions } from '@survey/bus/deleted-accounts.ts';
import { enqueue, type OutboxRelay } from '@survey/bus/outbox.ts';
import { deleteAccountRows } from '@survey/postgres/account-rows.ts';
import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type {
  ReplayAccountDeletionsRequest,
  ReplayAccountDeletionsResponse,
  ReplayedDeletion,
} from '@survey/proto/admin/v1/admin.ts';
import { AccountEvent, KeyRevoked } from '@survey/proto/events/v1/events.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { actorOf, audit, auditByService } from '../audit/write-audit.ts';
import { DELETION, findDeletion, insertDeletion } from './request-deletion.ts';

const STEP_MS = 2_000;
const SERVICES_POLL_MS = 1_000;

interface DeletionContext {
  readonly pool: Pool;
  readonly bus: BusConnection;
  readonly relay: OutboxRelay;
}

/**
 * Closes accounts whose deletion is due, waits until every service has deleted its rows, then
 * deletes account-admin's own rows and the account's facts on the bus (rule DATA-DELETION-1).
 */
export function deletionWork({ pool, bus, relay }: DeletionContext): AccountWork {
  return {
    kind: DELETION,
    sweep: unfinishedDeletions,
    work: async (accountId) => {
      const deletion = await inAccount(pool, accountId, (client) => findDeletion(client, accountId));
      if (deletion === undefined || deletion.finished_at != null) return undefined;
      if (deletion.due_in_ms > 0) return deletion.due_in_ms;
      if (deletion.closed_at == null) {
        await inAccount(pool, accountId, (client) => close(client, accountId));
        await failpoint('deletion.closed');
        // A dump of this moment may be restored. Recorded again at the end, in case this fails.
        await recordDeletion(bus, accountId);
      }
      relay.wake(accountId);
      if (deletion.pending_schemas.length > 0) return SERVICES_POLL_MS;
      if (!(await deleteAccountRows(pool, 'admin', accountId, STEP_MS))) return 0;
      await purgeFacts(bus, accountId);
      await recordDeletion(bus, accountId);
      await failpoint('deletion.purged');
      await inAccount(pool, accountId, (client) => finish(client, accountId));
      await failpoint('deletion.finished');
      relay.wake(accountId);
      return undefined;
    },
  };
}

async function close(client: Client, accountId: number): Promise<void> {
  const keys = await closeAccount(client, accountId);
  if (keys === undefined) return;
  const revocations = keys.map(({ key_id, hash }) => ({
    subject: 'events.key.revoked' as const,
    payload: KeyRevoked.encode({ account_id: accountId, key_id, key_hash: hash }).finish(),
  }));
  await enqueue(client, 'admin', accountId, [...revocations, accountEvent(accountId, 'closed')]);
  await auditByService(client, accountId, 'account.close');
}

async function finish(client: Client, accountId: number): Promise<void> {
  await endDeletion(client, accountId);
  await enqueue(client, 'admin', accountId, [accountEvent(accountId, 'deleted')]);
  await auditByService(client, accountId, 'account.deleted');
}

const accountEvent = (accountId: number, what: 'closed' | 'deleted') => ({
  subject: `events.account.${what}` as const,
  payload: AccountEvent.encode({ account_id: accountId }).finish(),
});

/**
 * Closes the account and ends its keys and integration. Returns the keys' ids and hashes, or
 * undefined when it is closed already, or its deletion is not due or was taken back.
 */
async function closeAccount(client: Client, accountId: number): Promise<{ key_id: string; hash: Buffer }[] | undefined> {
  const { rowCount } = await client.query(
    `update admin.account a set closed_at = statement_timestamp() from admin.account_deletion d
     where a.account_id = $1::bigint and a.closed_at is null and d.account_id = a.account_id and d.due_at <= now()`,
    [accountId],
  );
  if (rowCount === 0) return undefined;
  await client.query(
    'update admin.integration set disconnected_at = now() where account_id = $1::bigint and disconnected_at is null',
    [accountId],
  );
  const { rows } = await client.query<{ key_id: string; hash: Buffer }>(
    'update admin.api_key set revoked_at = now() where account_id = $1::bigint and revoked_at is null returning key_id, hash',
    [accountId],
  );
  return rows;
}

/** Marks the deletion as finished and removes the account's name. */
async function endDeletion(client: Client, accountId: number): Promise<void> {
  await client.query(`update admin.account set name = 'deleted account' where account_id = $1::bigint`, [accountId]);
  await client.query('update admin.account_deletion set finished_at = now() where account_id = $1::bigint', [accountId]);
}

/** Accounts whose deletion is due and not finished. */
async function unfinishedDeletions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ account_id: number }>('select account_id from admin.unfinished_deletions() account_id');
  return rows.map(({ account_id }) => account_id);
}

/**
 * Requests the recorded deletions that the database does not know, after it was restored from a
 * dump (rule DATA-DELETION-3).
 */
export const replayAccountDeletions =
  (pool: Pool, bus: BusConnection, wake: () => void) =>
  async (_: ReplayAccountDeletionsRequest, call: CallContext): Promise<ReplayAccountDeletionsResponse> => {
    const deletions: ReplayedDeletion[] = [];
    for (const { accountId, recordedAt } of await recordedDeletions(bus)) {
      const outcome = await inAccount(pool, accountId, (client) => replay(client, call, accountId, recordedAt));
      deletions.push({ account_id: accountId, recorded_at: recordedAt.toISOString(), outcome });
    }
    wake();
    return { deletions };
  };

async function replay(client: Client, call: CallContext, accountId: number, recordedAt: Date): Promise<string> {
  const { rows } = await client.query<{ is_newer: boolean }>(
    'select created_at > $2::timestamptz as is_newer from admin.account where account_id = $1::bigint for no key update',
    [accountId, recordedAt],
  );
  if (rows[0] === undefined) {
    await skipAccountId(client, accountId);
    return 'absent';
  }
  // Another account that was given the id after the restore.
  if (rows[0].is_newer) return 'newer';
  const deletion = await findDeletion(client, accountId);
  if (deletion !== undefined && deletion.state !== 'scheduled') return deletion.state;
  await insertDeletion(client, accountId, actorOf(call), 0);
  await markDue(client, 'admin', DELETION, [accountId]);
  await audit(client, call, { accountId, action: 'account.delete', before: null, after: { replayed: true } });
  return 'requested';
}

// The id of a deleted account is never assigned again.
async function skipAccountId(client: Client, accountId: number): Promise<void> {
  await client.query(
    `select setval('admin.account_account_id_seq', greatest(last_value, $1::bigint)) from admin.account_account_id_seq`,
    [accountId],
  );
}
