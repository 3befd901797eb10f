import type { Client } from '@survey/postgres/database.ts';

/**
 * Finds what the snapshot names by its own names, after the dictionary is written and those who leave have left: so the order of the
 * list plays no part (interface.md, field rules 3 to 5; rulings G18–G26, U01–U12).
 */
export async function resolveReferences(tx: Client, accountId: number): Promise<void> {
  await resolveGrants(tx, accountId);
  await findSupervisors(tx, accountId);
  await noteSupervisors(tx);
}

// A grant of an unknown attribute or value is dropped; when all are, nothing is granted and the employee sees nobody (ruling Z7).
async function resolveGrants(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `create temporary table resolved_grant on commit drop as
     select p.index, g.number, o.id as option_id
     from planned p
     cross join lateral unnest(p.grant_attributes, p.grant_values) with ordinality as g (attribute_key, value, number)
     left join imports.attribute a on a.account_id = $1 and a.name_key = g.attribute_key
     left join imports.attribute_option o on o.account_id = $1 and o.attribute_id = a.id and o.name = g.value
     where p.grant_attributes is not null and not p.skipped`,
    [accountId],
  );
  await tx.query(
    `update planned p set granted_option_ids = g.option_ids
     from (select index, array_agg(distinct option_id) filter (where option_id is not null) as option_ids
           from resolved_grant group by index) g
     where g.index = p.index and g.option_ids is not null`,
  );
  await tx.query(
    `insert into note
     select index, false, '/employees/' || index || '/permissions/grants/' || (number - 1), 'grant_dropped',
            'no such attribute or value: the grant is dropped, which changes what the employee sees'
     from resolved_grant where option_id is null`,
  );
}

// The employees of this API first, then others; never a removed one (rulings U08, U09).
async function findSupervisors(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `create temporary table supervisor on commit drop as
     select r.import_id, coalesce(max(n.employee_id), min(e.id) filter (where e.created_via = 'import_api'), min(e.id)) as id
     from (select distinct reports_to as import_id from planned where reports_to is not null and not skipped) r
     left join planned n on n.import_id = r.import_id and not n.skipped and (n.is_new or n.was_deleted)
     left join imports.employee e on e.account_id = $1 and e.import_id = r.import_id and not e.is_deleted
     group by r.import_id`,
    [accountId],
  );
  await tx.query('analyze supervisor');
}

async function noteSupervisors(tx: Client): Promise<void> {
  await tx.query(
    `insert into note
     select p.index, false, '/employees/' || p.index || '/reports_to_id',
            case when s.id is null then 'supervisor_unknown' else 'supervisor_is_self' end,
            case when s.id is null then 'nobody has this import_id: the employee has no supervisor now'
                 else 'an employee cannot report to itself: the employee has no supervisor now' end
     from planned p join supervisor s on s.import_id = p.reports_to
     where not p.skipped and (s.id is null or s.id = p.employee_id)`,
  );
}
