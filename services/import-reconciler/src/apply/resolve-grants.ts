import type { Client } from '@survey/postgres/database.ts';
import { analyze } from './working-tables.ts';

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
     select n.index, n.number, o.id
     from named n
     join imports.attribute a on a.account_id = $1 and a.name_key = n.attribute_key
     join imports.attribute_option o on o.account_id = $1 and o.attribute_id = a.id and o.name = n.value`,
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
     select n.index, false, '/employees/' || n.index || '/permissions/grants/' || (n.number - 1), 'grant_dropped',
            'no such attribute or value: the grant is dropped, which changes what the employee sees'
     from (${NAMED_OPTIONS}) n left join found_option f on f.index = n.index and f.number = n.number
     where f.index is null`,
  );
}
