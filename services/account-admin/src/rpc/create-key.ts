import type { ApiKeyScope } from '@survey/formats/api-key.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { CreateKeyRequest, CreateKeyResponse } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { checkKeyName, insertKey } from '../sql/keys.ts';

/**
 * Creates a key. Only this response contains it; the service stores its SHA-256 hash and its
 * prefix.
 */
export const createKey =
  (pool: Pool) =>
  async ({ account_id: accountId, scope: given, name }: CreateKeyRequest, call: CallContext): Promise<CreateKeyResponse> => {
    const scope = checkScope(given);
    const keyName = name == null ? null : checkKeyName(name);
    return withLockedAccount(pool, call, accountId, async (client) => {
      const { key, ...added } = await insertKey(client, call, { accountId, scope, name: keyName });
      await audit(client, call, { accountId, action: 'key.create', before: null, after: added });
      return { key_id: added.key_id, key };
    });
  };

function checkScope(scope: string): ApiKeyScope {
  if (scope !== 'read' && scope !== 'employees:write') throw invalid('scope must be read or employees:write');
  return scope;
}
