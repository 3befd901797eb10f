import type { Client } from '@survey/postgres/database.ts';
import { analyze } from './working-tables.ts';

/**
 * Resolves every planned record: `resolved` receives its supervisor and changed fields,
 * `added_issue` the warnings about supervisors. Runs after offboarding, so record order has no
 * effect (rule IMPORT-SUPERVISORS-1; docs/rules/import-supervisors.md). Employees of this API take
 * precedence as supervisors; deleted ones never match (rules IMPORT-SUPERVISORS-5 and
 * IMPORT-SUPERVISORS-6). When both kinds match, the supervisor is contested and a later change can
 * decide otherwise. A kept supervisor must still exist after the import. Stores a content hash only
 * when the record was applied without warnings and no change of other employees can alter its
 * meaning. @returns whether an employee may be on a cycle: one with a changed supervisor or a
 * changed record
 */
export async function resolvePlan(tx: Client, accountId: number, planned: number): Promise<{ mayHaveCycles: boolean }> {
  await findNamedSupervisors(tx, accountId);
  const { has_warnings, may_have_cycles } = await resolveRecords(tx);
  await analyze(tx, planned, 'resolved');
  if (has_warnings) await addSupervisorWarnings(tx);
  await deleteSuperseded(tx, accountId);
  return { mayHaveCycles: may_have_cycles };
}

async function findNamedSupervisors(tx: Client, accountId: number): Promise<void> {
  const { rowCount } = await tx.query(
    `with named as materialized (
       select distinct reports_to as import_id from planned where reports_to is not null and not skipped
     )
     insert into named_supervisor
     select e.import_id, e.id, e.created_via, e.is_deleted
     from named n join imports.employee e on e.account_id = $1 and e.import_id = n.import_id`,
    [accountId],
  );
  await analyze(tx, rowCount ?? 0, 'named_supervisor');
}

// A single pass over all planned records: such passes dominate a first import of a million
// employees.
async function resolveRecords(tx: Client): Promise<{ has_warnings: boolean; may_have_cycles: boolean }> {
  const { rows } = await tx.query<{ has_warnings: boolean; may_have_cycles: boolean }>(
    `with meant as materialized (
       select r.import_id,
              coalesce(max(n.employee_id), min(e.id) filter (where e.created_via = 'import_api' and not e.is_deleted),
                min(e.id) filter (where not e.is_deleted)) as id,
              coalesce(bool_or(e.created_via <> 'import_api' and not e.is_deleted), false) as is_contested,
              coalesce(bool_or(e.is_deleted), false) as is_removed
       from (select distinct reports_to as import_id from planned where reports_to is not null and not skipped) r
       left join planned n on n.import_id = r.import_id and not n.skipped and (n.is_new or n.was_deleted)
       left join named_supervisor e on e.import_id = r.import_id
       group by r.import_id
     ), noted as (
       select distinct index from added_issue
     ), written as (
       insert into resolved
       select p.index, v.supervisor_id,
              case when d.warning_code is null and noted.index is null and p.warnings is null and s.is_contested is not true then p.content_hash end,
              case when v.supervisor_id is distinct from p.supervisor_id then p.changed || '{supervisor}'::text[] else p.changed end
                || case when (p.all_data, p.granted_option_ids) is distinct from (p.had_all_data, p.had_granted_option_ids) and not p.is_new
                   then '{permissions}'::text[] else '{}' end,
              v.supervisor_id is not null and (p.is_hash_missing or v.supervisor_id is distinct from p.supervisor_id),
              d.warning_code, not p.keeps_supervisor
       from planned p
       left join meant s on s.import_id = p.reports_to
       left join offboarded l on l.id = p.supervisor_id
       left join planned back on back.employee_id = p.supervisor_id and back.was_deleted and not back.skipped
       left join noted on noted.index = p.index
       cross join lateral (
         select l.id is not null or (p.supervisor_is_deleted and back.index is null) as is_gone,
                p.reports_to is not null and s.id is null as is_unknown) k
       cross join lateral (
         select case when not p.keeps_supervisor then nullif(s.id, p.employee_id)
                     when not k.is_gone then p.supervisor_id end as supervisor_id) v
       cross join lateral (
         select case when k.is_unknown and s.is_removed then 'supervisor_offboarded'
                     when k.is_unknown then 'supervisor_unknown'
                     when s.id = p.employee_id then 'supervisor_is_self'
                     when p.keeps_supervisor and k.is_gone then 'supervisor_offboarded' end as warning_code) d
       where not p.skipped
       returning warning_code, may_close_cycle
     )
     select exists (select from affected_record) or coalesce(bool_or(warning_code is not null), false) as has_warnings,
            coalesce(bool_or(may_close_cycle), false) as may_have_cycles
     from written`,
  );
  return rows[0] ?? { has_warnings: false, may_have_cycles: false };
}

async function addSupervisorWarnings(tx: Client): Promise<void> {
  await tx.query(
    `insert into added_issue
     select index, false, '/employees/' || index || '/reports_to_id', warning_code,
            case when warning_code = 'supervisor_unknown' then 'no employee has this import_id: the employee has no supervisor now'
                 else 'an employee cannot report to themselves: the employee has no supervisor now' end
     from resolved where warning_code in ('supervisor_unknown', 'supervisor_is_self')
     union all
     select index, false, '/employees/' || index || case when sends_supervisor then '/reports_to_id' else '' end, 'supervisor_offboarded',
            'the supervisor is offboarded: the employee has no supervisor now'
     from (
       select index, sends_supervisor from resolved where warning_code = 'supervisor_offboarded'
       union all
       select index, sends_supervisor from affected_record
     ) as lost`,
  );
}

// Deletes older facts about supervisors that are still deferred.
async function deleteSuperseded(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `delete from imports.deferred_fact w using planned p
     where w.account_id = $1 and w.kind = 'supervisor' and w.object_id = p.employee_id::text and not p.keeps_supervisor and not p.skipped`,
    [accountId],
  );
}
