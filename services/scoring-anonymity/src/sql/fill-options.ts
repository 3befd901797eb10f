import type { Client, Pool } from '@survey/postgres/database.ts';

/** Returns the accounts with recent responses from respondents who were not employees yet. */
export async function accountsWithoutOptions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_without_options() as id');
  return rows.map(({ id }) => id);
}

// Responses per transaction; the account stays locked during it.
const BATCH_SIZE = 1_000;
const RETRY_MS = 30_000;

const FILL = `
update scoring.response r set option_ids = f.option_ids
from (
  select r.ordinal, e.option_ids
  from scoring.response r
  join scoring.respondent p on p.account_id = r.account_id and p.ordinal = r.respondent
  join imports.employee e on e.account_id = p.account_id and e.id = p.employee_id
  where r.account_id = $1::bigint and r.option_ids is null and r.ingested_at > now() - interval '30 minutes'
  limit ${BATCH_SIZE}
) f
where r.account_id = $1::bigint and r.ordinal = f.ordinal`;

const REMAINING = `
select exists (
  select from scoring.response r
  where r.account_id = $1::bigint and r.option_ids is null and r.ingested_at > now() - interval '30 minutes'
) as is`;

/**
 * Stores the options of some respondents who became employees after their response was ingested;
 * facts about both arrive independently. Returns the milliseconds until the next retry, undefined
 * when none is pending. Requires lockAccountState.
 */
export async function fillOptions(tx: Client, accountId: number): Promise<number | undefined> {
  const { rowCount } = await tx.query(FILL, [accountId]);
  if (rowCount !== 0) return 0;
  const { rows } = await tx.query<{ is: boolean }>(REMAINING, [accountId]);
  return rows[0]?.is === true ? RETRY_MS : undefined;
}
