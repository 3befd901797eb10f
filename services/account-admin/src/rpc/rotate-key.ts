import type { OutboxRelay } from '@survey/bus/outbox.ts';
import type { ApiKeyScope } from '@survey/formats/api-key.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { CreateKeyResponse, RotateKeyRequest } from '@survey/proto/admin/v1/admin.ts';
import { conflict } from '@survey/rpc/application-error.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { endKey, findKey, insertKey } from '../sql/keys.ts';
import { checkUuid } from '../uuid.ts';

/**
 * Creates a key of the same scope and name, and ends the old one at once or after the grace period.
 */
export const rotateKey =
  (pool: Pool, relay: OutboxRelay) =>
  async (request: RotateKeyRequest, call: CallContext): Promise<CreateKeyResponse> => {
    const { account_id: accountId, key_id: keyId, grace_seconds: grace } = request;
    checkUuid(keyId, 'key_id');
    const created = await withLockedAccount(pool, call, accountId, async (client) => {
      const { hash: _hash, ...before } = await findKey(client, accountId, keyId);
      if (before.revoked_at != null) throw conflict('the key is already revoked');
      const name = before.name ?? null;
      const scope = before.scope as ApiKeyScope; // The table's check lets in no other.
      const { key, ...added } = await insertKey(client, call, { accountId, scope, name, replaces: keyId });
      await endKey(client, accountId, keyId, grace);
      await audit(client, call, { accountId, action: 'key.rotate', before, after: { ...added, grace_seconds: grace } });
      return { key_id: added.key_id, key };
    });
    relay.wake(accountId);
    return created;
  };
