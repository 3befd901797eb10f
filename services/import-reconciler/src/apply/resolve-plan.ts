import type { Client } from '@survey/postgres/database.ts';
import { analyze } from './working-tables.ts';

/**
 * A subquery: every planned record with its supervisor, changed fields and warning. Not a table,
 * since writing and joining a million rows takes longer than resolving them again. Needs
 * `resolvePlan` first.
 * A kept supervisor must still exist after the import. A content hash is stored only when the
 * record was applied without warnings and no change of other employees can alter its meaning.
 */
export const RESOLVED = `(
  select p.*, v.new_supervisor_id, d.warning_code, not p.keeps_supervisor as sends_supervisor,
         case when noted.index is null and p.warnings is null and p.derived_like is null and s.is_contested is not true then p.content_hash end as new_hash,
         p.changed || case when v.new_supervisor_id is distinct from p.supervisor_id then '{supervisor}' else '{}' end::text[]
           || case when (p.all_data, p.granted_option_ids) is distinct from (p.had_all_data, p.had_granted_option_ids)
              then '{permissions}' else '{}' end::text[] as all_changed,
         -- Without other changes, new employees whose supervisors have smaller ids close no cycle.
         v.new_supervisor_id is not null
           and case when p.is_new then v.new_supervisor_id > p.employee_id
                    else p.is_hash_missing or v.new_supervisor_id is distinct from p.supervisor_id end as may_close_cycle
  from planned p
  left join meant_supervisor s on s.import_id = p.reports_to
  left join offboarded l on l.id = p.supervisor_id
  left join (select distinct index from added_issue) noted on noted.index = p.index
  cross join lateral (
    select l.id is not null or (p.supervisor_is_deleted
             and p.supervisor_id not in (select employee_id from planned where was_deleted and not skipped)) as is_gone,
           p.reports_to is not null and s.id is null as is_unknown) k
  cross join lateral (
    select case when not p.keeps_supervisor then nullif(s.id, p.employee_id)
                when not k.is_gone then p.supervisor_id end as new_supervisor_id) v
  cross join lateral (
    select case when k.is_unknown and s.is_removed then 'supervisor_offboarded'
                when k.is_unknown then 'supervisor_unknown'
                when s.id = p.employee_id then 'supervisor_is_self'
                when p.keeps_supervisor and k.is_gone then 'supervisor_offboarded' end as warning_code) d
) as resolved`;

/**
 * Finds whom records name as supervisors, and warns about those without one. Runs after
 * offboarding, so record order has no effect (rule IMPORT-SUPERVISORS-1;
 * docs/rules/import-supervisors.md). Employees of this API take precedence as supervisors; deleted
 * ones never match (rules IMPORT-SUPERVISORS-5 and IMPORT-SUPERVISORS-6). When both kinds match,
 * the supervisor is contested and a later change can decide otherwise. @returns whether an employee
 * may be on a cycle: one with a changed supervisor or a changed record
 */
export async function resolvePlan(tx: Client, accountId: number): Promise<{ mayHaveCycles: boolean }> {
  await findNamedSupervisors(tx, accountId);
  const { rows } = await tx.query<{ may_have_cycles: boolean }>(
    `with found as materialized (
       select index, sends_supervisor, warning_code, may_close_cycle from ${RESOLVED} where not skipped and (warning_code is not null or may_close_cycle)
     ), warned as (
       insert into added_issue
       select index, false, '/employees/' || index || case when sends_supervisor then '/reports_to_id' else '' end, warning_code
       from (
         select index, sends_supervisor, warning_code from found where warning_code is not null
         union all
         select index, sends_supervisor, 'supervisor_offboarded' from affected_record
       ) as lost
     )
     select exists (select from found where may_close_cycle) as may_have_cycles`,
  );
  // Deletes older facts about supervisors that are still deferred.
  await tx.query(
    `delete from imports.deferred_fact w using planned p
     where w.account_id = $1 and w.kind = 'supervisor' and w.object_id = p.employee_id::text and not p.keeps_supervisor and not p.skipped`,
    [accountId],
  );
  return { mayHaveCycles: rows[0]?.may_have_cycles ?? false };
}

async function findNamedSupervisors(tx: Client, accountId: number): Promise<void> {
  const { rowCount } = await tx.query(
    `with named as materialized (
       select distinct reports_to as import_id from planned where reports_to is not null and not skipped
     ), known as materialized (
       select e.import_id, e.id, e.created_via, e.is_deleted
       from named n join imports.employee e on e.account_id = $1 and e.import_id = n.import_id
     )
     insert into meant_supervisor
     select named.import_id,
            coalesce(max(n.employee_id), min(e.id) filter (where e.created_via = 'import_api' and not e.is_deleted),
              min(e.id) filter (where not e.is_deleted)),
            coalesce(bool_or(e.created_via <> 'import_api' and not e.is_deleted), false),
            coalesce(bool_or(e.is_deleted), false)
     from named
     left join planned n on n.import_id = named.import_id and not n.skipped and (n.is_new or n.was_deleted)
     left join known e on e.import_id = named.import_id
     group by named.import_id`,
    [accountId],
  );
  await analyze(tx, rowCount ?? 0, 'meant_supervisor');
}

const NAMED_OPTIONS = `
  select p.index, g.number::integer as number, g.attribute_key, g.value
  from planned p
  cross join lateral unnest(p.grant_attributes, p.grant_values) with ordinality as g (attribute_key, value, number)
  where p.grant_attributes is not null and not p.skipped`;

/**
 * Resolves the options that grants name, after the dictionary is written, so record order has no
 * effect (rules IMPORT-GRANTS-SCOPE-1, IMPORT-GRANTS-SCOPE-2, IMPORT-GRANTS-SCOPE-4 and
 * IMPORT-GRANTS-ROLE-4). Grants of unknown attributes or values are dropped; without any left, the
 * employee sees no data (rule IMPORT-GRANTS-SCOPE-3).
 */
export async function resolveGrants(tx: Client, accountId: number): Promise<void> {
  const { rowCount } = await tx.query(
    `with named as materialized (${NAMED_OPTIONS})
     insert into found_option
     select n.index, n.number, coalesce(o.id, m.option_id)
     from named n
     join imports.attribute a on a.account_id = $1 and a.name_key = n.attribute_key
     left join lateral (
       select id, name from imports.attribute_option
       where account_id = $1 and attribute_id = a.id and name >= n.value order by name limit 1
     ) o on o.name = n.value
     left join lateral (
       select option_id, name from imports.option_alias
       where account_id = $1 and attribute_id = a.id and is_mapped and name >= n.value order by name limit 1
     ) m on m.name = n.value
     where coalesce(o.id, m.option_id) is not null`,
    [accountId],
  );
  await analyze(tx, rowCount ?? 0, 'found_option');
  await tx.query(
    `with granted as (
       update planned p set granted_option_ids = g.option_ids
       from (select index, array_agg(distinct option_id) as option_ids from found_option group by index) g
       where g.index = p.index
     )
     insert into added_issue
     select n.index, false, '/employees/' || n.index || '/permissions/grants/' || (n.number - 1), 'grant_dropped'
     from (${NAMED_OPTIONS}) n left join found_option f on f.index = n.index and f.number = n.number
     where f.index is null`,
  );
}
