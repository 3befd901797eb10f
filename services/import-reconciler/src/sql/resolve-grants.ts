import type { Client } from '@survey/postgres/database.ts';

/**
 * Resolves the options that grants name, after the dictionary is written, so record order has no
 * effect (rules IMPORT-GRANTS-SCOPE-1, IMPORT-GRANTS-SCOPE-2, IMPORT-GRANTS-SCOPE-4 and
 * IMPORT-GRANTS-ROLE-4). Grants of unknown attributes or values are dropped; without any left, the
 * employee sees no data (rule IMPORT-GRANTS-SCOPE-3).
 */
export async function resolveGrants(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `with resolved as materialized (
       select p.index, g.number, o.id as option_id
       from planned p
       cross join lateral unnest(p.grant_attributes, p.grant_values) with ordinality as g (attribute_key, value, number)
       left join imports.attribute a on a.account_id = $1 and a.name_key = g.attribute_key
       left join imports.attribute_option o on o.account_id = $1 and o.attribute_id = a.id and o.name = g.value
       where p.grant_attributes is not null and not p.skipped
     ), granted as (
       update planned p set granted_option_ids = g.option_ids
       from (select index, array_agg(distinct option_id) as option_ids from resolved where option_id is not null group by index) g
       where g.index = p.index
     )
     insert into added_issue
     select index, false, '/employees/' || index || '/permissions/grants/' || (number - 1), 'grant_dropped',
            'no such attribute or value: the grant is dropped, which changes what the employee sees'
     from resolved where option_id is null`,
    [accountId],
  );
}
