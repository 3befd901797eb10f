import type { Client } from '@survey/postgres/database.ts';

/** Returns the ids of the expired responses of one cycle of the account. */
export async function findExpiredResponses(tx: Client, accountId: number, defaultDays: number): Promise<string[]> {
  const { rows: cycles } = await tx.query<{ cycle: number; before_month: string | null }>(
    'select cycle, before_month::text from text.expired_cycles($1::bigint, $2::float8) limit 1',
    [accountId, defaultDays],
  );
  const [expired] = cycles;
  if (expired === undefined) return [];
  const { rows } = await tx.query<{ id: string }>(
    'select id from text.response where account_id = $1::bigint and cycle = $2::integer and ($3::date is null or submitted_month < $3::date)',
    [accountId, expired.cycle, expired.before_month],
  );
  return rows.map(({ id }) => id);
}
