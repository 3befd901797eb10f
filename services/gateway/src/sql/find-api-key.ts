import type { ApiKeyScope } from '@survey/api-key/api-key.ts';
import type { Queryable } from '@survey/postgres/database.ts';
import type { ApiCaller } from '../exchange.ts';

interface KeyRow {
  account_id: number;
  key_id: string;
  scope: ApiKeyScope;
  rate_limit: number | null;
}

// A frozen server answers nothing at all: the timeout is the client's.
const TIMEOUT_MS = 2_000;

/** Whose key has this hash. Undefined for one that does not exist or is revoked. */
export async function findApiKey(db: Queryable, hash: Buffer): Promise<ApiCaller | undefined> {
  const query = {
    text: 'select account_id, key_id, scope, rate_limit from admin.find_api_key($1::bytea)',
    values: [hash],
    query_timeout: TIMEOUT_MS,
  };
  const { rows } = await db.query<KeyRow>(query);
  const [row] = rows;
  return row && { accountId: row.account_id, keyId: row.key_id, scope: row.scope, rateLimit: row.rate_limit };
}
