import { inAccount, type Pool } from '@survey/postgres/database.ts';

/** Returns the traceparent of the request that submitted the import. */
export function importTrace(pool: Pool, accountId: number, importUuid: string): Promise<string | undefined> {
  return inAccount(pool, accountId, async (tx) => {
    const { rows } = await tx.query<{ traceparent: string | null }>(
      'select traceparent from imports.import where account_id = $1 and import_uuid = $2',
      [accountId, importUuid],
    );
    return rows[0]?.traceparent ?? undefined;
  });
}
