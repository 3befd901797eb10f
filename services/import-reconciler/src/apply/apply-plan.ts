import type { Client } from '@survey/postgres/database.ts';
import { RESOLVED } from './resolve-plan.ts';

const MAX_LOOKED_UP = 50_000;

/** Writes existing employees that change, or get the content hash of their record. */
export async function updateEmployees(tx: Client, accountId: number): Promise<void> {
  // Passes the ids as a value: PostgreSQL then uses the index for few changes in a large account,
  // or else a hash of the ids in one pass. With array(select …), that pass compares every employee
  // with every id. Above the limit, a lookup by id does not pay off.
  const { rows } = await tx.query<{ ids: string | null }>(
    `select case when count(*) <= ${MAX_LOOKED_UP} then array_agg(employee_id)::text end as ids from planned where not is_new`,
  );
  await tx.query(
    `update imports.employee e
     set email = p.email, email_key = p.email_key, is_deleted = false, offboarded_at = null, firstname = p.firstname, lastname = p.lastname,
         language = p.language, role = p.role, option_ids = p.option_ids, supervisor_id = p.new_supervisor_id,
         all_data = p.all_data, granted_option_ids = p.granted_option_ids, content_hash = p.new_hash,
         sends_supervisor = p.sends_supervisor
     from (select * from ${RESOLVED} where not is_new and not skipped) p
     where e.account_id = $1 and e.id = p.employee_id and ($2::bigint[] is null or e.id = any($2::bigint[]))
       and (p.was_deleted or cardinality(p.all_changed) > 0 or e.content_hash is distinct from p.new_hash
         or e.sends_supervisor <> p.sends_supervisor)`,
    [accountId, rows[0]?.ids],
  );
}

/**
 * Writes the new employees and returns their number. Conflicts are already resolved: a plain insert
 * costs half as much as one that checks for them again.
 */
export async function insertEmployees(tx: Client, accountId: number): Promise<number> {
  const { rows } = await tx.query<{ inserted: number }>(
    `with inserted as (
     insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, firstname, lastname, language,
       role, option_ids, supervisor_id, all_data, granted_option_ids, content_hash, sends_supervisor)
     select $1::bigint, employee_id, position, 'import_api', import_id, email, email_key, firstname, lastname, language,
       role, option_ids, new_supervisor_id, all_data, granted_option_ids, new_hash, sends_supervisor
     from ${RESOLVED}
     where is_new and not skipped
     returning 1
     )
     select count(*) as inserted from inserted`,
    [accountId],
  );
  return rows[0]?.inserted ?? 0;
}

/**
 * Counts new employees with consecutive ids, for the account and for the blocks of its list
 * (imports.employee_block).
 */
export async function countEmployees(tx: Client, accountId: number, firstId: number, created: number): Promise<void> {
  if (created === 0) return;
  await tx.query(
    `with grown as (
       update imports.account_state set employees = employees + $3::int, next_employee_id = next_employee_id + $3::int where account_id = $1
     )
     insert into imports.employee_block (account_id, level, block, row_count)
     select $1, level, block, least($2::bigint + $3::int, (block + 1) << bits) - greatest($2::bigint, block << bits)
     from (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
     cross join generate_series($2::bigint >> bits, ($2::bigint + $3::int - 1) >> bits) as block
     on conflict (account_id, level, block) do update set row_count = employee_block.row_count + excluded.row_count`,
    [accountId, firstId, created],
  );
}
