import { randomUUID } from 'node:crypto';
import { createApiKey, visiblePrefix, type ApiKeyScope } from '@survey/api-key/api-key.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { CreateKeyRequest } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/refusal.ts';
import { changeAccount } from '../account.ts';
import { audit } from '../audit.ts';

/** The key is in this answer and nowhere else: what is stored of it is its SHA-256 and what it is recognised by. */
export const createKey =
  (pool: Pool) =>
  async ({ account_id: accountId, scope: given }: CreateKeyRequest, call: CallContext) => {
    const scope = checkScope(given);
    const { key, hash } = createApiKey(scope);
    const added = { key_id: randomUUID(), prefix: visiblePrefix(key), scope };
    await changeAccount(pool, accountId, async (client) => {
      await client.query(
        `insert into admin.api_key (account_id, key_id, hash, prefix, scope)
         values ($1::bigint, $2::uuid, $3::bytea, $4::text, $5::text)`,
        [accountId, added.key_id, hash, added.prefix, scope],
      );
      await audit(client, call, { accountId, action: 'key.create', before: null, after: added });
    });
    return { key_id: added.key_id, key };
  };

function checkScope(scope: string): ApiKeyScope {
  if (scope !== 'read' && scope !== 'employees:write') throw invalid('scope must be read or employees:write');
  return scope;
}
