import type { Client, Pool } from '@survey/postgres/database.ts';
import { lockAccountState, saveAccountState } from './account-state.ts';
import { giveOrdinals } from './give-ordinals.ts';

/** The accounts in which somebody has answered lately who was not known as an employee then. */
export async function accountsWithoutOptions(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from text.accounts_without_options() as id');
  return rows.map(({ id }) => id);
}

const FOUND = `
select r.id, array_to_string(e.option_ids, ',') as options
from text.response r
join text.person p on p.account_id = r.account_id and p.ordinal = r.person
join imports.employee e on e.account_id = p.account_id and e.id = p.employee_id
where r.account_id = $1::bigint and r.option_set is null and r.taken_in_at > now() - interval '30 minutes'`;

const FILL = `
with filled as (
  update text.response r set option_set = f.option_set
  from unnest($2::uuid[], $3::integer[]) f (id, option_set)
  where r.account_id = $1::bigint and r.id = f.id
  returning r.id
)
update text.answer a set sequence = $4::bigint from filled f where a.account_id = $1::bigint and a.response_id = f.id`;

/** Notes the options of people who have become known as employees only after their answer: the facts about both travel side by side. */
export async function fillOptions(tx: Client, accountId: number): Promise<void> {
  const state = await lockAccountState(tx, accountId);
  const { rows } = await tx.query<{ id: string; options: string }>(FOUND, [accountId]);
  if (rows.length === 0) return;
  const options = rows.map((row) => row.options);
  const optionSet = await giveOrdinals(tx, accountId, state, 'option_sets', options);
  state.sequence += 1;
  await tx.query(FILL, [accountId, rows.map(({ id }) => id), options.map(optionSet), state.sequence]);
  await saveAccountState(tx, accountId, state);
}
