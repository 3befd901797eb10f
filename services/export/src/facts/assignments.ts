import { randomUUID } from 'node:crypto';
import type { AssignmentLine } from '@survey/bus/lines/line.ts';
import { applyByEmployee, type EmployeeDeferral } from '@survey/bus/facts/apply-by-employee.ts';
import type { ApplyFacts, Version } from '@survey/bus/facts/fact.ts';
import type { Client } from '@survey/postgres/database.ts';
import { renewVersion } from './apply-to-table.ts';

export const DEFERRED_ASSIGNMENTS: EmployeeDeferral<'assignment'> = {
  schema: 'export',
  kind: 'assignment',
  table: 'export.assignment',
  idType: 'bigint',
  takesOptions: false,
};

/**
 * Writes assignments and their counts. Assignments of employees that no import has created yet are
 * deferred.
 */
export const applyAssignments: ApplyFacts<'assignment'> = async (tx, accountId, facts) => {
  await lockAssignments(tx, accountId);
  return applyByEmployee(tx, accountId, DEFERRED_ASSIGNMENTS, facts, (assignments) =>
    saveAssignments(tx, accountId, assignments),
  );
};

interface SavedAssignment extends Version {
  readonly content: AssignmentLine;
  readonly employee: { readonly id: number };
}

/**
 * Makes this transaction the only writer of the account's assignments, so that batches never wait
 * for each other's rows.
 */
export async function lockAssignments(tx: Client, accountId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('export.assignment', $1::bigint))`, [accountId]);
}

// Counts change with the rows written: a new row adds to its survey and to the total, a moved row
// is subtracted from its old survey.
const SAVE_ASSIGNMENTS = `
with written as (
  insert into export.assignment as kept (account_id, id, survey_id, employee_id, created_at, deleted_at, revision, digest)
  select $1::bigint, f.*
  from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[], $7::bigint[], $8::bytea[]) as f (id)
  order by f.id
  on conflict (account_id, id) do update set survey_id = excluded.survey_id, employee_id = excluded.employee_id,
    created_at = excluded.created_at, deleted_at = excluded.deleted_at, revision = excluded.revision, digest = excluded.digest,
    previous_survey_id = kept.survey_id
  where (excluded.revision, excluded.digest) > (kept.revision, kept.digest)
  returning id, survey_id, previous_survey_id
), renewed as (${renewVersion('assignment', '$9', 'exists (select from written)')}
), change (survey_id, id, difference) as (
  select survey_id, id, 1 from written where previous_survey_id is distinct from survey_id
  union all select previous_survey_id, id, -1 from written where previous_survey_id <> survey_id
  union all select 0, id, 1 from written where previous_survey_id is null
)
insert into export.assignment_block as kept (account_id, survey_id, level, block, row_count)
select $1::bigint, c.survey_id, l.level, c.id >> l.bits, sum(c.difference)
from change c cross join (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
group by 2, 3, 4
order by 2, 3, 4
on conflict (account_id, survey_id, level, block) do update set row_count = kept.row_count + excluded.row_count`;

/**
 * Writes each assignment (one per id) unless a newer fact is stored, and updates
 * export.assignment_block. Requires lockAssignments.
 */
async function saveAssignments(tx: Client, accountId: number, rows: readonly SavedAssignment[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(SAVE_ASSIGNMENTS, [
    accountId,
    rows.map(({ content }) => content.id),
    rows.map(({ content }) => content.survey_id),
    rows.map(({ employee }) => employee.id),
    rows.map(({ content }) => content.created_at),
    rows.map(({ content }) => content.deleted_at),
    rows.map(({ revision }) => revision),
    rows.map(({ digest }) => digest),
    randomUUID(),
  ]);
}

const DELETE = `
with gone as (
  delete from export.assignment where account_id = $1::bigint and employee_id = $2::bigint returning id, survey_id
), change (survey_id, id) as (
  select survey_id, id from gone union all select 0, id from gone
), counted as (
  select c.survey_id, l.level, c.id >> l.bits as block, count(*) as deleted
  from change c cross join (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
  group by 1, 2, 3
)
update export.assignment_block b set row_count = b.row_count - c.deleted
from counted c
where b.account_id = $1::bigint and b.survey_id = c.survey_id and b.level = c.level and b.block = c.block`;

/**
 * Deletes an employee's assignments, and updates export.assignment_block. Requires lockAssignments.
 */
export async function deleteAssignmentsOf(tx: Client, accountId: number, employeeId: number): Promise<void> {
  await tx.query(DELETE, [accountId, employeeId]);
}
