import { importReason, type ImportReason, type ImportReasonCode } from '@survey/formats/import-reasons.ts';
import type { Client } from '@survey/postgres/database.ts';
import { FIRST_NAMED_ID } from '../rules/dictionary-ids.ts';
import { addAffected, AFFECTED_EMPLOYEE, type AffectedEmployee } from './working-tables.ts';

interface Judgement {
  // One for each kind of mix-up, with its count.
  readonly warnings: readonly ImportReason[];
  // Records that may be about another person than their employee was.
  readonly doubtfulRecords: number;
}

const FINDINGS = [
  'identity_changed',
  'identity_swapped',
  'email_known_under_other_import_id',
  'leading_zeros_lost',
  'leading_zeros_added',
  'id_case_changed',
  'id_prefix_changed',
] as const satisfies readonly ImportReasonCode[];

const DOUBTFUL: ReadonlySet<string> = new Set(FINDINGS.slice(0, 3));

// A prefix is whatever precedes the first digit. Employees of two sites may have the same number,
// so a changed prefix only means something if most new ids have it.
const COUNT = `
with omitted as materialized (
  select import_id, email_key from imports.employee where account_id = $1 and position = any($2::int[])
), added as materialized (
  select import_id, email_key from planned where is_new and not skipped
), former as materialized (
  select distinct former_email_key from planned where former_email_key is not null and not skipped
), changed as materialized (
  select f.former_email_key is not null as is_swapped
  from planned p left join former f on f.former_email_key = p.email_key
  where p.former_email_key is not null and not p.skipped
), zeros as materialized (
  select distinct a.import_id, length(a.import_id) < length(o.import_id) as is_lost
  from added a join omitted o on ltrim(a.import_id, '0') = ltrim(o.import_id, '0') and a.import_id <> o.import_id
), prefix as materialized (
  select distinct a.import_id
  from added a
  join omitted o on substring(a.import_id from '\\d.*') = substring(o.import_id from '\\d.*')
  where lower(a.import_id) <> lower(o.import_id)
)
select
  (select count(*) from changed where not is_swapped) as identity_changed,
  (select count(*) from changed where is_swapped) as identity_swapped,
  (select count(*) from added join omitted on omitted.email_key = added.email_key) as email_known_under_other_import_id,
  (select count(*) from zeros where is_lost) as leading_zeros_lost,
  (select count(*) from zeros where not is_lost) as leading_zeros_added,
  (select count(distinct a.import_id) from added a join omitted o on lower(a.import_id) = lower(o.import_id)) as id_case_changed,
  (select case when count(*) > 1 and 2 * count(*) >= (select count(*) from added) then count(*) else 0 end from prefix) as id_prefix_changed`;

/**
 * Looks at the whole snapshot for employees who may have been mixed up: reused, swapped or shifted
 * ids, and new ids that follow from omitted ones by a pattern. Call before the decision, so that a
 * cancelled import says so, too.
 * @param toOffboard positions of the managed employees that the snapshot omits
 */
export async function judgeIdentities(tx: Client, accountId: number, toOffboard: readonly number[]): Promise<Judgement> {
  const { rows } = await tx.query<Record<(typeof FINDINGS)[number], number>>(COUNT, [accountId, toOffboard]);
  const [counts] = rows;
  const warnings = FINDINGS.map((code) => importReason(code, { count: counts?.[code] ?? 0 })).filter(({ count }) => count !== 0);
  const doubtfulRecords = warnings.filter(({ code }) => DOUBTFUL.has(code)).reduce((sum, { count }) => sum + (count ?? 0), 0);
  return { warnings, doubtfulRecords };
}

/** Returns whether an employee with the role Admin can sign in to the account. */
export async function hasAdmin(tx: Client, accountId: number): Promise<boolean> {
  const { rows } = await tx.query<{ has_admin: boolean }>(
    `select exists (select from imports.employee where account_id = $1 and role = 'Admin' and not is_deleted) as has_admin`,
    [accountId],
  );
  return rows[0]?.has_admin ?? false;
}

/** Notes that the records of former Admins leave the account without any. */
export async function noteLostAdmins(tx: Client): Promise<void> {
  await tx.query(
    `insert into added_issue (index, is_reason, pointer, code)
     select index, false, '/employees/' || index || '/role', 'last_admin_lost' from planned where was_admin and not skipped`,
  );
}

// Warnings about what an import does correctly, but perhaps not as somebody meant it. Each
// statement covers the whole snapshot; records with a warning are read again by the next import.

/** Notes what needs the plan only. Call once skipped records are known and grants are resolved. */
export async function noteRemarkableRecords(tx: Client): Promise<void> {
  await tx.query(LOOKS_LIKE_DERIVED);
  await tx.query(REGAINED_ACCESS);
  await tx.query(CHANGED_IDENTITY);
}

// One warning for each misspelt name of a derived attribute (rule IMPORT-ATTRIBUTES-YEARS-5).
const LOOKS_LIKE_DERIVED = `
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
