import type { Client } from '@survey/postgres/database.ts';

/**
 * Works out what every known employee becomes: `settled` holds the names of the fields that change. The bytes of a record are remembered
 * only when it was applied without a word, and nobody's coming or going could make it mean something else: what is not so is looked at
 * again the next time.
 *
 * Answers whether somebody may be on a cycle of supervisors: one whose supervisor changes, or who was not known to the byte.
 */
export async function settlePlan(tx: Client, accountId: number): Promise<{ mayHaveCycles: boolean }> {
  const { rows } = await tx.query<{ may_have_cycles: boolean }>(
    `with settling as (
       insert into settled
       select p.index, s.supervisor_id,
              case when n.index is null and p.warnings is null and not s.is_contested then p.content_hash end,
              p.changed
                || case when s.supervisor_id is distinct from p.supervisor_id then array['supervisor'] else '{}' end
                || case when not p.is_new and (p.all_data, p.granted_option_ids) is distinct from (e.all_data, e.granted_option_ids)
                   then array['permissions'] else '{}' end
       from planned p
       join supervised s on s.index = p.index
       left join imports.employee e on e.account_id = $1 and e.id = p.employee_id and not p.is_new
       left join (select distinct index from note) n on n.index = p.index
       where not p.skipped
       returning index, supervisor_id
     )
     select coalesce(bool_or(p.is_unsettled or s.supervisor_id is distinct from p.supervisor_id), false) as may_have_cycles
     from settling s join planned p on p.index = s.index
     where s.supervisor_id is not null`,
    [accountId],
  );
  return { mayHaveCycles: rows[0]?.may_have_cycles ?? false };
}

/** Writes the known employees that change, or whose record can be recognised from now on. */
export async function updateEmployees(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `update imports.employee e
     set email = p.email, email_key = p.email_key, is_deleted = false, firstname = p.firstname, lastname = p.lastname,
         language = p.language, role = p.role, option_ids = p.option_ids, supervisor_id = s.supervisor_id,
         all_data = p.all_data, granted_option_ids = p.granted_option_ids, content_hash = s.hash
     from planned p
     join settled s on s.index = p.index
     where e.account_id = $1 and e.id = p.employee_id and not p.is_new
       and (p.was_deleted or cardinality(s.changed) > 0 or e.content_hash is distinct from s.hash)`,
    [accountId],
  );
}

/**
 * Writes the new employees, and answers with their number. Conflicts were settled before: a plain insert is half as expensive as one that
 * looks for them again.
 */
export async function insertEmployees(tx: Client, accountId: number): Promise<number> {
  const { rows } = await tx.query<{ created: number }>(
    `with created as (
       insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, firstname, lastname, language,
         role, option_ids, supervisor_id, all_data, granted_option_ids, content_hash)
       select $1::bigint, p.employee_id, p.position, 'import_api', p.import_id, p.email, p.email_key, p.firstname, p.lastname, p.language,
         p.role, p.option_ids, s.supervisor_id, p.all_data, p.granted_option_ids, s.hash
       from planned p
       join settled s on s.index = p.index
       where p.is_new
       returning id
     ), grown as (
       update imports.account_state
       set employees = employees + n.created, next_employee_id = next_employee_id + n.created
       from (select count(*)::int as created from created) n
       where account_id = $1::bigint
     ), counted as (
       -- The list's place-finding counts: see imports.employee_block.
       insert into imports.employee_block (account_id, level, block, count)
       select $1::bigint, l.level, c.id >> l.bits, count(*)
       from created c cross join (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
       group by 2, 3
       on conflict (account_id, level, block) do update set count = employee_block.count + excluded.count
     )
     select count(*)::int as created from created`,
    [accountId],
  );
  return rows[0]?.created ?? 0;
}
