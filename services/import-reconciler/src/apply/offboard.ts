import { type Client, escapeLiteral } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/stream-rows.ts';
import type { OffboardedEmployee } from '@survey/proto/common/v1/import_outcome.ts';
import { addAffected, AFFECTED_EMPLOYEE, analyze, type AffectedEmployee } from './working-tables.ts';

/**
 * Offboards employees: they remain in the list as deleted and free their addresses. Their reports
 * lose the supervisor, even if the snapshot names the same one again (rule IMPORT-SUPERVISORS-5).
 * Employees created in other ways are unchanged.
 * @param recordAt index of each position's record plus one; 0 without a record
 */
export async function offboard(tx: Client, accountId: number, ids: readonly number[], recordAt: Int32Array): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    'insert into offboarded select id, email_key from imports.employee where account_id = $1 and id = any($2::bigint[])',
    [accountId, ids],
  );
  await analyze(tx, ids.length, 'offboarded');
  await noteKnownEmails(tx);
  await tx.query(
    `update imports.employee set is_deleted = true, offboarded_at = now(), email_key = null, content_hash = null
     where account_id = $1 and id = any($2::bigint[])`,
    [accountId, ids],
  );
  await releaseReports(tx, accountId, ids, recordAt);
}

// Warns when a new employee has the address of an offboarded one: probably one employee under two
// import_ids (rule IMPORT-IDENTITY-7).
async function noteKnownEmails(tx: Client): Promise<void> {
  await tx.query(
    `insert into added_issue
     select p.index, false, '/employees/' || p.index || '/import_id', 'email_known_under_other_import_id'
     from planned p
     join offboarded on offboarded.email_key = p.email_key
     where p.is_new and not p.skipped`,
  );
}

// Passes the ids as a value, of which PostgreSQL makes a hash: with array(select …), it compares
// every employee with every id.
async function releaseReports(tx: Client, accountId: number, ids: readonly number[], recordAt: Int32Array): Promise<void> {
  const { rows } = await tx.query<AffectedEmployee>(
    `update imports.employee report set supervisor_id = null, content_hash = null
     where report.account_id = $1 and report.created_via = 'import_api' and not report.is_deleted
       and report.supervisor_id = any($2::bigint[])
     returning ${AFFECTED_EMPLOYEE}`,
    [accountId, ids],
  );
  await addAffected(
    tx,
    rows.map((row) => ({ ...row, index: (recordAt[row.position] ?? 0) - 1 })),
    true,
  );
}

const BATCH_SIZE = 1_000;

/**
 * Records the employees that the import offboards, or would have offboarded if it had not been
 * cancelled. Returns their ids.
 */
export async function saveOffboarded(
  tx: Client,
  { accountId, importUuid }: { accountId: number; importUuid: string },
  positions: readonly number[],
): Promise<number[]> {
  if (positions.length === 0) return [];
  const { rows } = await tx.query<{ employee_id: number }>(
    `insert into imports.offboarding as o (account_id, import_uuid, employee_id)
     select account_id, $2::uuid, id from imports.employee where account_id = $1 and position = any($3::int[])
     returning o.employee_id`,
    [accountId, importUuid, positions],
  );
  return rows.map(({ employee_id }) => employee_id);
}

/** Reads the employees that an import offboards, by import_id, in constant memory. */
export function readOffboarded(tx: Client, accountId: number, importUuid: string): AsyncGenerator<OffboardedEmployee[]> {
  const query = `
    select e.id as employee_id, e.import_id, concat_ws(' ', e.firstname, e.lastname) as name, '{}'::jsonb as attributes
    from imports.offboarding l
    join imports.employee e on e.account_id = l.account_id and e.id = l.employee_id
    where l.account_id = ${accountId} and l.import_uuid = ${escapeLiteral(importUuid)} order by e.import_id`;
  return readBatches(tx, query, BATCH_SIZE);
}
