import { markDue } from '@survey/postgres/due.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  AccountDeletion,
  CancelAccountDeletionRequest,
  DeleteAccountRequest,
  DeletedRows,
  Remainder,
  ShowAccountDeletionRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { withLockedAccount } from '../with-account.ts';
import { actorOf, audit } from '../audit/write-audit.ts';
import { findAccount } from '../accounts.ts';
import { findIntegration } from '../imports/connect-integration.ts';
import { utc } from '../utc-text.ts';

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
export async function findDeletion(client: Client, accountId: number): Promise<FoundDeletion | undefined> {
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
export async function insertDeletion(client: Client, accountId: number, by: string, afterSeconds: number): Promise<void> {
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
