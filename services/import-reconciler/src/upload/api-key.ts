import type { Client } from '@survey/postgres/database.ts';

interface CurrentKey {
  scope: string;
  is_revoked: boolean;
  // Whether the account's REST API integration is connected.
  is_connected: boolean;
}

/** Returns the current permissions of a key; undefined when the account has no such key. */
export async function findKey(tx: Client, accountId: number, keyId: string): Promise<CurrentKey | undefined> {
  const { rows } = await tx.query<CurrentKey>(
    `select scope, revoked_at is not null or coalesce(ends_at <= now(), false) as is_revoked,
            exists (select from admin.integration where account_id = $1 and disconnected_at is null) as is_connected
     from admin.api_key where account_id = $1 and key_id = $2`,
    [accountId, keyId],
  );
  return rows[0];
}
