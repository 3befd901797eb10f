import type { ApiKeyScope } from '@survey/formats/api-key.ts';
import type { Queryable } from '@survey/postgres/database.ts';

/** Owner and permissions of an API key. */
export interface ApiCaller {
  readonly accountId: number;
  readonly keyId: string;
  readonly scope: ApiKeyScope;
  // Requests per minute; null: the default limit.
  readonly rateLimit: number | null;
  // Time until the key ends, in ms, as of its lookup; absent without an end.
  readonly endsInMs?: number;
}

interface KeyRow {
  ordinal: number;
  account_id: number;
  key_id: string;
  scope: ApiKeyScope;
  rate_limit: number | null;
  ends_in_ms: number | null;
}

// Enforced by the client, because a frozen server cannot enforce it.
const TIMEOUT_MS = 2_000;

/**
 * Returns the callers of these key hashes, in the same order; undefined for unknown or revoked
 * keys.
 */
export async function findApiKeys(db: Queryable, hashes: readonly Buffer[]): Promise<(ApiCaller | undefined)[]> {
  const query = {
    text: `
      select asked.ordinal::integer, found.account_id, found.key_id, found.scope, found.rate_limit, found.ends_in_ms
      from unnest($1::bytea[]) with ordinality as asked (hash, ordinal)
      cross join lateral admin.find_api_key(asked.hash) as found`,
    values: [hashes],
    query_timeout: TIMEOUT_MS,
  };
  const { rows } = await db.query<KeyRow>(query);
  const callers = new Map(rows.map((row) => [row.ordinal - 1, callerOf(row)]));
  return hashes.map((_, index) => callers.get(index));
}

const callerOf = ({ account_id, key_id, scope, rate_limit, ends_in_ms }: KeyRow): ApiCaller => ({
  accountId: account_id,
  keyId: key_id,
  scope,
  rateLimit: rate_limit,
  ...(ends_in_ms !== null && { endsInMs: ends_in_ms }),
});
