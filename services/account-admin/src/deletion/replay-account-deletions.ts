import type { BusConnection } from '@survey/bus/connection.ts';
import { recordedDeletions } from '@survey/bus/deleted-accounts.ts';
import { markDue } from '@survey/postgres/due.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  ReplayAccountDeletionsRequest,
  ReplayAccountDeletionsResponse,
  ReplayedDeletion,
} from '@survey/proto/admin/v1/admin.ts';
import { actorOf, audit } from '../audit/write-audit.ts';
import { DELETION, findDeletion, insertDeletion } from './request-deletion.ts';

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
