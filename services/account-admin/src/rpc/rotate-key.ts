import { enqueue, type OutboxRelay } from '@survey/bus/outbox.ts';
import type { ApiKeyScope } from '@survey/api-key/api-key.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { CreateKeyResponse, RotateKeyRequest } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { KeyRevoked } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { findKey, insertKey } from '../sql/keys.ts';
import { checkUuid } from '../uuid.ts';

const MAX_GRACE_SECONDS = 7 * 86_400;

/**
 * Creates a key of the same scope and name, and ends the old one at once or after the grace period.
 */
export const rotateKey =
  (pool: Pool, relay: OutboxRelay) =>
  async (request: RotateKeyRequest, call: CallContext): Promise<CreateKeyResponse> => {
    const { account_id: accountId, key_id: keyId, grace_seconds: grace } = request;
    checkUuid(keyId, 'key_id');
    if (grace < 0 || grace > MAX_GRACE_SECONDS) throw invalid(`grace_seconds must be 0 to ${MAX_GRACE_SECONDS}`);
    const created = await withLockedAccount(pool, call, accountId, async (client) => {
      const { hash, ...before } = await findKey(client, accountId, keyId);
      if (before.revoked_at != null) throw conflict('the key is already revoked');
      const name = before.name ?? null;
      const scope = before.scope as ApiKeyScope; // The table's check lets in no other.
      const { key, ...added } = await insertKey(client, call, { accountId, scope, name, replaces: keyId });
      await end(client, accountId, keyId, grace);
      if (grace === 0) {
        const payload = KeyRevoked.encode({ account_id: accountId, key_id: keyId, key_hash: hash }).finish();
        await enqueue(client, 'admin', [{ accountId, subject: 'events.key.revoked', payload }]);
      }
      await audit(client, call, { accountId, action: 'key.rotate', before, after: { ...added, grace_seconds: grace } });
      return { key_id: added.key_id, key };
    });
    relay.wake();
    return created;
  };

async function end(client: Client, accountId: number, keyId: string, grace: number): Promise<void> {
  await client.query(
    `update admin.api_key set
       revoked_at = case when $3::integer = 0 then now() end,
       ends_at = case when $3::integer > 0 then now() + $3::integer * interval '1 second' else ends_at end
     where account_id = $1::bigint and key_id = $2::uuid`,
    [accountId, keyId, grace],
  );
}
