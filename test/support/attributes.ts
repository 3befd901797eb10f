import type { Pool } from 'pg';

/** Releases attributes for API use, as an account admin does. */
export async function releaseAttributes(db: Pool, accountId: number, ids: readonly number[]): Promise<void> {
  await db.query(
    'insert into admin.released_attribute (account_id, attribute_id) select $1::bigint, unnest($2::integer[]) on conflict do nothing',
    [accountId, ids],
  );
}

export async function withdrawAttribute(db: Pool, accountId: number, id: number): Promise<void> {
  await db.query('delete from admin.released_attribute where account_id = $1 and attribute_id = $2', [accountId, id]);
}
