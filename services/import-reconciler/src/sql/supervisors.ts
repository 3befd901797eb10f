import type { Client } from '@survey/postgres/database.ts';

/**
 * Finds the supervisors that applied records name, after those who leave have left: so the order of the list plays no part (interface.md,
 * field rule 5; rulings U01–U12). `supervised` then holds every applied record's supervisor, and `note` what is to be said about them.
 *
 * Those of this API are meant first, then others; never a removed one (rulings U08, U09). Where one of each would do, who is meant is
 * contested: whoever comes or goes later decides anew. Whoever keeps a supervisor keeps him only if he is still there when all is done.
 */
export async function resolveSupervisors(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `with meant as materialized (
       select r.import_id, coalesce(max(n.employee_id), min(e.id) filter (where e.created_via = 'import_api'), min(e.id)) as id,
              coalesce(bool_or(e.created_via <> 'import_api'), false) as is_contested
       from (select distinct reports_to as import_id from planned where reports_to is not null and not skipped) r
       left join planned n on n.import_id = r.import_id and not n.skipped and (n.is_new or n.was_deleted)
       left join imports.employee e on e.account_id = $1 and e.import_id = r.import_id and not e.is_deleted
       group by r.import_id
     ), settling as materialized (
       select p.index, p.employee_id, p.reports_to, p.was_deleted, s.id as named_id, coalesce(s.is_contested, false) as is_contested,
              l.import_id as left_import_id, p.keeps_supervisor and k.is_gone as is_lost,
              case when not p.keeps_supervisor then nullif(s.id, p.employee_id) when not k.is_gone then p.supervisor_id end as supervisor_id
       from planned p
       left join meant s on s.import_id = p.reports_to
       left join leaver l on l.id = p.supervisor_id
       left join planned back on back.employee_id = p.supervisor_id and back.was_deleted and not back.skipped
       cross join lateral (select l.id is not null or (p.supervisor_is_deleted and back.index is null) as is_gone) k
       where not p.skipped
     ), kept as (
       insert into supervised select index, supervisor_id, is_contested from settling
     ), outdated as (
       -- What the application had said before, of somebody who is still awaited.
       delete from imports.waiting_fact w using planned p
       where w.account_id = $1 and w.kind = 'supervisor' and w.thing_id = p.employee_id::text and not p.keeps_supervisor and not p.skipped
     ), named as (
       select *, named_id is null as is_unknown,
              named_id is null and not was_deleted and left_import_id is not distinct from reports_to as is_leaver
       from settling
       where reports_to is not null
     )
     insert into note
     select index, false, '/employees/' || index || '/reports_to_id',
            case when is_unknown then 'supervisor_unknown' else 'supervisor_is_self' end,
            case when is_unknown then 'nobody has this import_id: the employee has no supervisor now'
                 else 'an employee cannot report to itself: the employee has no supervisor now' end
     from named where (is_unknown or named_id = employee_id) and not is_leaver
     union all
     select index, false, '/employees/' || index, 'supervisor_offboarded',
            'the supervisor is removed from the account: the employee has no supervisor now'
     from (select index from settling where is_lost
           union all select index from named where is_leaver
           union all select index from bystander) as lost`,
    [accountId],
  );
}
