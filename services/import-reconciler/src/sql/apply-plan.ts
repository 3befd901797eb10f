import type { Client } from '@survey/postgres/database.ts';

/** Works out what every known employee becomes: `settled` holds the final supervisor and the names of the fields that change. */
export async function settlePlan(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `create temporary table settled on commit drop as
     select p.index, n.supervisor_id,
            p.changed
              || case when r.index is not null or n.supervisor_id is distinct from e.supervisor_id then array['supervisor'] else '{}' end
              || case when (p.all_data, p.granted_option_ids) is distinct from (e.all_data, e.granted_option_ids)
                 then array['permissions'] else '{}' end as changed
     from planned p
     join imports.employee e on e.account_id = $1 and e.id = p.employee_id
     left join supervisor s on s.import_id = p.reports_to
     left join released r on r.index = p.index
     cross join lateral (
       select case when p.keeps_supervisor then e.supervisor_id else nullif(s.id, p.employee_id) end as supervisor_id) n
     where not p.is_new and not p.skipped`,
    [accountId],
  );
  await tx.query('analyze settled; analyze note');
}

/**
 * Writes the known employees that change. The bytes of a record are remembered only when it was applied without a word: whatever
 * needs a warning is looked at again the next time.
 */
export async function updateEmployees(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `update imports.employee e
     set email = p.email, email_key = p.email_key, is_deleted = false, firstname = p.firstname, lastname = p.lastname,
         language = p.language, role = p.role, option_ids = p.option_ids, supervisor_id = s.supervisor_id,
         all_data = p.all_data, granted_option_ids = p.granted_option_ids,
         content_hash = case when n.index is null and p.warnings is null then p.content_hash end
     from planned p
     join settled s on s.index = p.index
     left join (select distinct index from note) n on n.index = p.index
     where e.account_id = $1 and e.id = p.employee_id`,
    [accountId],
  );
}

/** Writes the new employees. Conflicts were settled before: a plain insert is half as expensive as one that looks for them again. */
export async function insertEmployees(tx: Client, accountId: number): Promise<number> {
  const { rowCount } = await tx.query(
    `insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, firstname, lastname, language,
       role, option_ids, supervisor_id, all_data, granted_option_ids, content_hash)
     select $1, p.employee_id, p.position, 'import_api', p.import_id, p.email, p.email_key, p.firstname, p.lastname, p.language,
       p.role, p.option_ids, nullif(s.id, p.employee_id), p.all_data, p.granted_option_ids,
       case when n.index is null and p.warnings is null then p.content_hash end
     from planned p
     left join supervisor s on s.import_id = p.reports_to
     left join (select distinct index from note) n on n.index = p.index
     where p.is_new and not p.skipped`,
    [accountId],
  );
  const created = rowCount ?? 0;
  await tx.query(
    `update imports.account_state
     set employees = employees + $2::int, next_employee_id = next_employee_id + $2::bigint where account_id = $1`,
    [accountId, created],
  );
  await countNewEmployees(tx, accountId);
  return created;
}

// The list's place-finding counts: see imports.employee_block.
async function countNewEmployees(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `insert into imports.employee_block (account_id, level, block, count)
     select $1, l.level, p.employee_id >> l.bits, count(*)
     from planned p cross join (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
     where p.is_new and not p.skipped
     group by 2, 3
     on conflict (account_id, level, block) do update set count = employee_block.count + excluded.count`,
    [accountId],
  );
}
