import type { AccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { purgeFacts, recordDeletion, recordedDeletions } from '@survey/bus/deleted-accounts.ts';
import { enqueue, type OutboxRelay } from '@survey/bus/outbox.ts';
import { deleteAccountRows } from '@survey/postgres/account-rows.ts';
import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type {
  AccountDeletion,
  CancelAccountDeletionRequest,
  DeleteAccountRequest,
  DeletedRows,
  Remainder,
  ReplayAccountDeletionsRequest,
  ReplayAccountDeletionsResponse,
  ReplayedDeletion,
  ShowAccountDeletionRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { AccountEvent, KeyRevoked } from '@survey/proto/events/v1/events.ts';
import { conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { findAccount } from './accounts.ts';
import { actorOf, audit, auditByService } from './write-audit.ts';
import { findIntegration } from './imports/connect-integration.ts';
import { utc } from './sql-text.ts';
import { withLockedAccount } from './with-account.ts';

export const DELETION = 'account-deletion';

const MAX_AFTER_SECONDS = 366 * 86_400;

/**
 * Requests the deletion of an account (rule DATA-DELETION-1).
 * @throws `invalid` when the name is another one, `conflict` while the integration is connected.
 */
export const deleteAccount =
  (pool: Pool, wake: () => void) =>
  async (request: DeleteAccountRequest, call: CallContext): Promise<AccountDeletion> => {
    const { account_id: accountId, after_seconds: afterSeconds } = request;
    if (afterSeconds < 0 || afterSeconds > MAX_AFTER_SECONDS) throw invalid('after_seconds must be 0 to one year');
    const deletion = await withLockedAccount(pool, call, accountId, async (client) => {
      const earlier = await findDeletion(client, accountId);
      if (earlier !== undefined) return earlier;
      await checkDeletable(client, request);
      await insertDeletion(client, accountId, actorOf(call), afterSeconds);
      await markDue(client, 'admin', DELETION, [accountId], 1_000 * afterSeconds);
      await audit(client, call, { accountId, action: 'account.delete', before: null, after: { after_seconds: afterSeconds } });
      return deletionOf(client, accountId);
    });
    wake();
    return deletion;
  };

async function checkDeletable(client: Client, { account_id, name, force }: DeleteAccountRequest): Promise<void> {
  const account = await findAccount(client, account_id);
  if (account.name !== name) throw invalid(`name must be the name of account ${account_id}`);
  if (!force && (await findIntegration(client, account_id))?.connected === true)
    throw conflict('the integration is connected: disconnect it first, or force the deletion');
}

/**
 * Takes a deletion back.
 * @throws `conflict` when it has begun, `not_found` when none was requested.
 */
export const cancelAccountDeletion =
  (pool: Pool) =>
  ({ account_id: accountId }: CancelAccountDeletionRequest, call: CallContext): Promise<AccountDeletion> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const deletion = await deletionOf(client, accountId);
      if (!(await removeDeletion(client, accountId))) throw conflict('the deletion has begun and cannot be taken back');
      await audit(client, call, { accountId, action: 'account.keep', before: { due_at: deletion.due_at }, after: null });
      return { ...deletion, state: 'taken_back' };
    });

/** Returns a deletion's progress. @throws `not_found` when none was requested. */
export const showAccountDeletion =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowAccountDeletionRequest): Promise<AccountDeletion> =>
    inAccount(pool, accountId, async (client) => withRemainders(await deletionOf(client, accountId)));

async function deletionOf(client: Client, accountId: number): Promise<AccountDeletion> {
  const deletion = await findDeletion(client, accountId);
  if (deletion === undefined) throw notFound(`no deletion of account ${accountId} was requested`);
  return deletion;
}

const SERVICES = ['export', 'imports', 'scoring', 'text'];

// By PostgreSQL's clock.
type FoundDeletion = AccountDeletion & { readonly due_in_ms: number };

/** Returns the account's deletion with its progress, if one was requested. */
async function findDeletion(client: Client, accountId: number): Promise<FoundDeletion | undefined> {
  const { rows } = await client.query<Omit<FoundDeletion, 'deleted' | 'pending_schemas' | 'remainders'>>(
    `select d.account_id, d.requested_by, ${utc('d.requested_at')} as requested_at, ${utc('d.due_at')} as due_at,
       ${utc('a.closed_at')} as closed_at, ${utc('d.finished_at')} as finished_at,
       extract(epoch from d.due_at - now())::float8 * 1000 as due_in_ms,
       case when d.finished_at is not null then 'finished' when a.closed_at is not null then 'running' else 'scheduled' end as state
     from admin.account_deletion d join admin.account a using (account_id)
     where d.account_id = $1::bigint`,
    [accountId],
  );
  if (rows[0] === undefined) return undefined;
  const deleted = await deletedRows(client, accountId);
  return {
    ...rows[0],
    deleted: deleted.filter(({ table }) => !table.endsWith('.')),
    pending_schemas: SERVICES.filter((schema) => !deleted.some(({ table }) => table === `${schema}.`)),
    remainders: [],
  };
}

// A service adds a row without a table's name when it has deleted all rows of its schema.
async function deletedRows(client: Client, accountId: number): Promise<DeletedRows[]> {
  const of = (schema: string): string =>
    `select '${schema}.' || table_name as "table", deleted as rows from ${schema}.deleted_rows where account_id = $1::bigint`;
  const { rows } = await client.query<DeletedRows>(`${['admin', ...SERVICES].map(of).join(' union all ')} order by 1`, [
    accountId,
  ]);
  return rows;
}

/** Requests the deletion, or changes its time; it can be taken back until it is due. */
async function insertDeletion(client: Client, accountId: number, by: string, afterSeconds: number): Promise<void> {
  await client.query(
    `insert into admin.account_deletion (account_id, requested_by, due_at)
     values ($1::bigint, $2::text, now() + $3::bigint * interval '1 second')
     on conflict (account_id) do update set requested_by = excluded.requested_by, due_at = excluded.due_at`,
    [accountId, by, afterSeconds],
  );
}

/** Takes a deletion back. Returns false when it has begun. */
async function removeDeletion(client: Client, accountId: number): Promise<boolean> {
  const { rowCount } = await client.query('delete from admin.account_deletion where account_id = $1::bigint and due_at > now()', [
    accountId,
  ]);
  return rowCount === 1;
}

const DAY_MS = 86_400_000;

/** Adds what outlives a finished deletion (docs/runbooks/account-offboarding.md). */
function withRemainders(deletion: AccountDeletion): AccountDeletion {
  if (deletion.finished_at == null) return deletion;
  const finishedMs = Date.parse(deletion.finished_at);
  const until = (days: number): string => new Date(finishedMs + days * DAY_MS).toISOString();
  const remainders: Remainder[] = [
    { what: 'this certificate, the account id and the audit log', until: null },
    { what: 'the account id on the stream DELETIONS, to repeat the deletion after a restore', until: null },
    { what: 'sent messages in the outboxes, which hold ids only', until: until(1) },
    { what: 'events on the stream EVENTS, which hold ids only', until: until(7) },
    { what: 'backups of PostgreSQL and NATS, for as long as the operator keeps them', until: null },
    { what: 'logs and traces, which hold ids only, for as long as the operator keeps them', until: null },
  ];
  return { ...deletion, remainders };
}

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
