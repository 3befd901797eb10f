import { enqueue, type OutboxRelay } from '@survey/bus/outbox.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ApiKey, RevokeKeyRequest } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { KeyRevoked } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { findKey } from '../sql/keys.ts';
import { utc } from '../sql/utc.ts';
import { checkUuid } from '../uuid.ts';

/** Revokes a key. Idempotent: a revoked key keeps its time, and gateways are not notified again. */
export const revokeKey =
  (pool: Pool, relay: OutboxRelay) =>
  async (request: RevokeKeyRequest, call: CallContext): Promise<ApiKey> => {
    checkUuid(request.key_id, 'key_id');
    const key = await withLockedAccount(pool, call, request.account_id, (client) => revoke(client, request, call));
    relay.wake();
    return key;
  };

async function revoke(client: Client, request: RevokeKeyRequest, call: CallContext): Promise<ApiKey> {
  const { account_id: accountId } = request;
  const { hash, ...before } = await findKey(client, accountId, request.key_id);
  if (typeof before.revoked_at === 'string') return before;
  const after = { ...before, revoked_at: await markRevoked(client, request) };
  const payload = KeyRevoked.encode({ account_id: accountId, key_id: before.key_id, key_hash: hash }).finish();
  await enqueue(client, 'admin', [{ accountId, subject: 'events.key.revoked', payload }]);
  await audit(client, call, { accountId, action: 'key.revoke', before, after });
  return after;
}

async function markRevoked(client: Client, { account_id, key_id }: RevokeKeyRequest): Promise<string> {
  const { rows } = await client.query<{ revoked_at: string }>(
    `update admin.api_key set revoked_at = now() where account_id = $1::bigint and key_id = $2::uuid
     returning ${utc('revoked_at')} as revoked_at`,
    [account_id, key_id],
  );
  if (rows[0] === undefined) throw new Error('expected the locked key to exist');
  return rows[0].revoked_at;
}
