import type { Client } from '@survey/postgres/database.ts';

/** Returns the current permissions of a key; undefined when the account has no such key. */
export async function findKey(
  tx: Client,
  accountId: number,
  keyId: string,
): Promise<{ scope: string; is_revoked: boolean } | undefined> {
  const { rows } = await tx.query<{ scope: string; is_revoked: boolean }>(
    `select scope, revoked_at is not null or coalesce(ends_at <= now(), false) as is_revoked
     from admin.api_key where account_id = $1 and key_id = $2`,
    [accountId, keyId],
  );
  return rows[0];
}
