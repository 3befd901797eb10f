import type { AccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { purgeFacts, recordDeletion } from '@survey/bus/deleted-accounts.ts';
import { enqueue, type OutboxRelay } from '@survey/bus/outbox.ts';
import { deleteAccountRows } from '@survey/postgres/account-rows.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type { AccountDeletion, Remainder } from '@survey/proto/admin/v1/admin.ts';
import { AccountEvent, KeyRevoked } from '@survey/proto/events/v1/events.ts';
import { auditOwn } from './audit.ts';
import { closeAccount, endDeletion, findDeletion, unfinishedDeletions } from './sql/deletions.ts';

export const DELETION = 'account-deletion';

const STEP_MS = 2_000;
const SERVICES_POLL_MS = 1_000;

interface Dependencies {
  readonly pool: Pool;
  readonly bus: BusConnection;
  readonly relay: OutboxRelay;
}

/**
 * Closes accounts whose deletion is due, waits until every service has deleted its rows, then
 * deletes those of account-admin and the account's facts on the bus (rule DATA-DELETION-1).
 */
export function deletionWork({ pool, bus, relay }: Dependencies): AccountWork {
  return {
    kind: DELETION,
    sweep: unfinishedDeletions,
    work: async (accountId) => {
      const deletion = await inAccount(pool, accountId, (client) => findDeletion(client, accountId));
      if (deletion === undefined || deletion.finished_at != null) return undefined;
      const dueInMs = Date.parse(deletion.due_at) - Date.now();
      if (dueInMs > 0) return dueInMs;
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
  await auditOwn(client, accountId, 'account.close');
}

async function finish(client: Client, accountId: number): Promise<void> {
  await endDeletion(client, accountId);
  await enqueue(client, 'admin', accountId, [accountEvent(accountId, 'deleted')]);
  await auditOwn(client, accountId, 'account.deleted');
}

const accountEvent = (accountId: number, what: 'closed' | 'deleted') => ({
  subject: `events.account.${what}` as const,
  payload: AccountEvent.encode({ account_id: accountId }).finish(),
});

const DAY_MS = 86_400_000;

/** Adds what outlives a finished deletion (docs/runbooks/account-offboarding.md). */
export function withRemainders(deletion: AccountDeletion): AccountDeletion {
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
