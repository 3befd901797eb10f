import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ApiKey, ListKeysRequest, ListKeysResponse } from '@survey/proto/admin/v1/admin.ts';
import { withAccount } from '../account.ts';
import { KEY_COLUMNS } from '../sql/keys.ts';

const SQL = `select ${KEY_COLUMNS} from admin.api_key where account_id = $1::bigint order by api_key.created_at, key_id`;

/** Returns an account's keys, oldest first, including revoked ones. */
export const listKeys =
  (pool: Pool) =>
  ({ account_id: accountId }: ListKeysRequest, call: CallContext): Promise<ListKeysResponse> =>
    withAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<ApiKey>(SQL, [accountId]);
      return { keys: rows };
    });
