import { importReason, type ImportReason, type ImportReasonCode } from '@survey/formats/import-reasons.ts';
import type { Client } from '@survey/postgres/database.ts';

interface Judgement {
  // One for each kind of mix-up, with its count.
  readonly warnings: readonly ImportReason[];
  // Records that may be about another person than their employee was.
  readonly doubtful: number;
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
 * @param omitted positions of the managed employees that the snapshot omits
 */
export async function judgeIdentities(tx: Client, accountId: number, omitted: readonly number[]): Promise<Judgement> {
  const { rows } = await tx.query<Record<(typeof FINDINGS)[number], number>>(COUNT, [accountId, omitted]);
  const [counts] = rows;
  const warnings = FINDINGS.map((code) => importReason(code, { count: counts?.[code] ?? 0 })).filter(({ count }) => count !== 0);
  const doubtful = warnings.filter(({ code }) => DOUBTFUL.has(code)).reduce((sum, { count }) => sum + (count ?? 0), 0);
  return { warnings, doubtful };
}

/** Returns whether an employee with the role Admin can sign in to the account. */
export async function hasAdmin(tx: Client, accountId: number): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    `select exists (select from imports.employee where account_id = $1 and role = 'Admin' and not is_deleted) as found`,
    [accountId],
  );
  return rows[0]?.found ?? false;
}

/** Notes that the records of former Admins leave the account without any. */
export async function noteLostAdmins(tx: Client): Promise<void> {
  await tx.query(
    `insert into added_issue (index, is_reason, pointer, code)
     select index, false, '/employees/' || index || '/role', 'last_admin_lost' from planned where was_admin and not skipped`,
  );
}
