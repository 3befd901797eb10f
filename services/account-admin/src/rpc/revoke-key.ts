import type { OutboxRelay } from '@survey/bus/outbox.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ApiKey, RevokeKeyRequest } from '@survey/proto/admin/v1/admin.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { endKey, findKey } from '../sql/keys.ts';
import { checkUuid } from '../uuid.ts';

/**
 * Revokes a key, at once or after a grace period. Idempotent: a revoked key keeps its time, and
 * gateways are not notified again.
 */
export const revokeKey =
  (pool: Pool, relay: OutboxRelay) =>
  async (request: RevokeKeyRequest, call: CallContext): Promise<ApiKey> => {
    checkUuid(request.key_id, 'key_id');
    const key = await withLockedAccount(pool, call, request.account_id, (client) => revoke(client, request, call));
    relay.wake(request.account_id);
    return key;
  };

async function revoke(client: Client, request: RevokeKeyRequest, call: CallContext): Promise<ApiKey> {
  const { account_id: accountId, key_id: keyId, grace_seconds: grace } = request;
  const { hash: _hash, ...before } = await findKey(client, accountId, keyId);
  if (before.revoked_at != null) return before;
  const after = await endKey(client, accountId, keyId, grace ?? 0);
  await audit(client, call, { accountId, action: 'key.revoke', before, after });
  return after;
}
