import type { Client, Pool } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState } from './account-state.ts';
import { assignOrdinals } from './assign-ordinals.ts';

/**
 * Returns the accounts with recent respondents who were unknown as employees when they responded.
 */
export async function accountsWithoutOptions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from text.accounts_without_options() as id');
  return rows.map(({ id }) => id);
}

// Responses per transaction, which blocks other writers of the account.
const BATCH_SIZE = 1_000;
const RETRY_MS = 30_000;

const FOUND = `
select r.id, array_to_string(e.option_ids, ',') as options
from text.response r
join text.person p on p.account_id = r.account_id and p.ordinal = r.person
join imports.employee e on e.account_id = p.account_id and e.id = p.employee_id
where r.account_id = $1::bigint and r.option_set is null and r.ingested_at > now() - interval '30 minutes'
limit ${BATCH_SIZE}`;

const REMAINING = `
select exists (
  select from text.response r
  where r.account_id = $1::bigint and r.option_set is null and r.ingested_at > now() - interval '30 minutes'
) as is`;

const FILL = `
with filled as (
  update text.response r set option_set = f.option_set
  from unnest($2::uuid[], $3::integer[]) f (id, option_set)
  where r.account_id = $1::bigint and r.id = f.id
  returning r.id
), changed as (
  select a.id, $4::bigint + row_number() over () as sequence
  from filled f join text.answer a on a.account_id = $1::bigint and a.response_id = f.id
)
update text.answer a set sequence = c.sequence from changed c where a.account_id = $1::bigint and a.id = c.id`;

/**
 * Stores the options of respondents who became known as employees after their response; the order
 * of the two facts is not fixed. Returns the milliseconds until the next check; undefined when no
 * respondent is left.
 */
export async function fillOptions(tx: Client, accountId: number): Promise<number | undefined> {
  const state = await lockAccountState(tx, accountId);
  const { rows } = await tx.query<{ id: string; options: string }>(FOUND, [accountId]);
  if (rows.length === 0) {
    const remaining = await tx.query<{ is: boolean }>(REMAINING, [accountId]);
    return remaining.rows[0]?.is === true ? RETRY_MS : undefined;
  }
  const options = rows.map((row) => row.options);
  const optionSet = await assignOrdinals(tx, accountId, state, 'option_sets', options);
  const { rowCount } = await tx.query(FILL, [accountId, rows.map(({ id }) => id), options.map(optionSet), state.sequence]);
  // One sequence per changed answer, so that a reader can count the changes.
  state.sequence += rowCount ?? 0;
  await saveAccountState(tx, accountId, state);
  return 0;
}
