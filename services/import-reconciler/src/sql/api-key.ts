import type { Client } from '@survey/postgres/database.ts';

/** What the key may do now; undefined for a key that the account does not have. */
export async function findKey(
  tx: Client,
  accountId: number,
  keyId: string,
): Promise<{ scope: string; is_revoked: boolean } | undefined> {
  const { rows } = await tx.query<{ scope: string; is_revoked: boolean }>(
    'select scope, revoked_at is not null as is_revoked from admin.api_key where account_id = $1 and key_id = $2',
    [accountId, keyId],
  );
  return rows[0];
}
