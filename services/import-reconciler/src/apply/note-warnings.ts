import type { Client } from '@survey/postgres/database.ts';
import { FIRST_NAMED_ID } from '../rules/dictionary-ids.ts';
import { addAffected, AFFECTED_EMPLOYEE, type AffectedEmployee } from './working-tables.ts';

// Warnings about what an import does correctly, but perhaps not as somebody meant it. Each
// statement covers the whole snapshot; records with a warning are read again by the next import.

/** Notes what needs the plan only. Call once skipped records are known and grants are resolved. */
export async function noteRemarkableRecords(tx: Client): Promise<void> {
  await tx.query(DERIVED_LIKE);
  await tx.query(REGAINED_ACCESS);
  await tx.query(CHANGED_IDENTITY);
}

// One warning for each misspelt name of a derived attribute (rule IMPORT-ATTRIBUTES-YEARS-5).
const DERIVED_LIKE = `
insert into added_issue (index, is_reason, pointer, code)
select distinct on (l.code, l.attribute) p.index, false, l.pointer, l.code
from planned p, jsonb_to_recordset(p.derived_like::jsonb) as l (pointer text, code text, attribute text)
where p.derived_like is not null and not p.skipped
order by l.code, l.attribute, p.index`;

// Rule IMPORT-IDENTITY-10.
const REGAINED_ACCESS = `
insert into added_issue (index, is_reason, pointer, code)
select index, false, '/employees/' || index, 'access_regained' from planned
where was_deleted and not skipped
  and (role not in ('Respondee', 'Employee') or all_data or cardinality(granted_option_ids) > 0)`;

// Rules IMPORT-IDENTITY-11 and IMPORT-IDENTITY-12.
const CHANGED_IDENTITY = `
with former as materialized (
  select distinct on (former_email_key) former_email_key, employee_id from planned
  where former_email_key is not null and not skipped order by former_email_key, index
)
insert into added_issue (index, is_reason, pointer, code, about)
select p.index, false, '/employees/' || p.index, case when f.employee_id is null then 'identity_changed' else 'identity_swapped' end,
       case when f.employee_id is not null then jsonb_build_object('employee_id', f.employee_id) end
from planned p left join former f on f.former_email_key = p.email_key
where p.former_email_key is not null and not p.skipped`;

// A value is new when this import has created its option. It looks like an older one, or like one
// of an earlier record.
const ALIKE_VALUES = `
with fresh as materialized (
  select id, attribute_id from imports.attribute_option where account_id = $1 and id >= $2 and id < $3
), look as materialized (
  select o.id, o.attribute_id, imports.value_look(o.name) as look
  from imports.attribute_option o where o.account_id = $1 and o.attribute_id in (select attribute_id from fresh)
), alike as materialized (
  select id, attribute_id, look from (
    select look.*, count(*) over (partition by attribute_id, look) as alike from look
  ) l where alike > 1
), first_use as materialized (
  select o.id, min(p.index) as index
  from planned p cross join lateral unnest(p.option_ids) o (id)
  where not p.skipped and o.id in (select id from alike where id >= $2 and id < $3)
  group by o.id
)
insert into added_issue (index, is_reason, pointer, code, about)
select distinct on (f.id) f.index, false, '/employees/' || f.index, 'value_looks_alike',
       jsonb_build_object('option_ids', jsonb_build_array(f.id, other.id))
from first_use f
join alike own on own.id = f.id
join alike other on other.attribute_id = own.attribute_id and other.look = own.look and other.id <> own.id
left join first_use o on o.id = other.id
where other.id < $2 or other.id >= ${FIRST_NAMED_ID} or o.index < f.index
order by f.id, other.id >= $2 and other.id < $3, o.index, other.id`;

/**
 * Notes new values that people may take for another one of the attribute (rule
 * IMPORT-ATTRIBUTES-VALUES-5), once each.
 * @param first the first option that this import has created
 * @param next the option after the last one
 */
export async function noteAlikeValues(tx: Client, accountId: number, first: number, next: number): Promise<void> {
  if (next > first) await tx.query(ALIKE_VALUES, [accountId, first, next]);
}

// The options of all employees are read only when somebody has a grant.
const UNMATCHED_GRANTS = `
with grantee as materialized (
  select id, granted_option_ids from imports.employee
  where account_id = $1 and created_via = 'import_api' and not is_deleted and not all_data
    and cardinality(granted_option_ids) > 0 and role <> 'Respondee'
), granted as materialized (
  select distinct o.id from grantee cross join lateral unnest(granted_option_ids) o (id)
), matching as materialized (
  select distinct o.id
  from imports.employee e cross join lateral unnest(e.option_ids) o (id)
  where e.account_id = $1 and not e.is_deleted and o.id in (select id from granted)
), unmatched as materialized (
  select g.id as employee_id, o.id as option_id
  from grantee g cross join lateral unnest(g.granted_option_ids) o (id)
  where o.id not in (select id from matching)
), reread as (
  update imports.employee e set content_hash = null
  where e.account_id = $1 and e.id in (select employee_id from unmatched)
  returning ${AFFECTED_EMPLOYEE}
)
select r.position, r.employee_id, r.import_id, r.sends_supervisor, u.option_id, p.index
from unmatched u
join reread r on r.employee_id = u.employee_id
left join planned p on p.employee_id = u.employee_id`;

interface UnmatchedGrant extends AffectedEmployee {
  readonly option_id: number;
  // Null for a record that did not have to be planned.
  readonly index: number | null;
}

/**
 * Notes grants on values that nobody has, however they came about (rule IMPORT-GRANTS-SCOPE-6).
 * Call when all employees are written.
 * @param recordAt index of each position's record plus one; 0 without a record
 */
export async function noteUnmatchedGrants(tx: Client, accountId: number, recordAt: Int32Array): Promise<void> {
  const { rows } = await tx.query<UnmatchedGrant>(UNMATCHED_GRANTS, [accountId]);
  const unmatched = rows.map((row) => ({ ...row, index: row.index ?? (recordAt[row.position] ?? 0) - 1 }));
  await tx.query(
    `insert into added_issue (index, is_reason, pointer, code, about)
     select index, false, '/employees/' || index, 'grant_matches_nobody', jsonb_build_object('option_ids', jsonb_build_array(option_id))
     from unnest($1::int[], $2::int[]) as g (index, option_id)`,
    [unmatched.map(({ index }) => index), unmatched.map((row) => row.option_id)],
  );
  await addAffected(tx, [...new Map(unmatched.map((row) => [row.index, row])).values()], false);
}
