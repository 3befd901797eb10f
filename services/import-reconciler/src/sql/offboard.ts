import type { Client } from '@survey/postgres/database.ts';

/** Says of new employees that their address was that of somebody who leaves: most likely one person under two import_ids (ruling H10). */
export async function noteKnownEmails(tx: Client, accountId: number, leavingPositions: readonly number[]): Promise<void> {
  await tx.query(
    `insert into note
     select p.index, false, '/employees/' || p.index || '/import_id', 'email_known_under_other_import_id',
            'an employee with this e-mail address is offboarded by the same import: an import_id must not change'
     from planned p
     join imports.employee leaver on leaver.account_id = $1 and leaver.email_key = p.email_key and leaver.position = any($2::int[])
     where p.is_new and not p.skipped`,
    [accountId, leavingPositions],
  );
}

/** Removes employees: they stay in the list as deleted, and free their addresses. */
export async function offboard(tx: Client, accountId: number, positions: readonly number[]): Promise<void> {
  await tx.query(
    `update imports.employee set is_deleted = true, email_key = null, content_hash = null
     where account_id = $1 and position = any($2::int[])`,
    [accountId, positions],
  );
}

/**
 * Takes removed supervisors from those of this API's employees who report to them (ruling U08), and answers with their positions.
 * Nobody points to a removed employee, whether the snapshot says so again or not.
 */
export async function releaseReports(tx: Client, accountId: number, leavingPositions: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ position: number }>(
    `update imports.employee report set supervisor_id = null, content_hash = null
     where report.account_id = $1 and report.created_via = 'import_api' and not report.is_deleted
       and report.supervisor_id = any(array(
         select id from imports.employee where account_id = $1 and position = any($2::int[])))
     returning report.position`,
    [accountId, leavingPositions],
  );
  return rows.map(({ position }) => position);
}

/** Remembers who lost a supervisor, with the record's index in the list, and says so where the record names no other. */
export async function saveReleased(tx: Client, positions: readonly number[], indexes: readonly number[]): Promise<void> {
  await tx.query('create temporary table released (position integer not null, index integer not null) on commit drop');
  await tx.query('insert into released select * from unnest($1::int[], $2::int[])', [positions, indexes]);
  await tx.query('analyze released');
  await tx.query(
    `insert into note
     select r.index, false, '/employees/' || r.index, 'supervisor_offboarded',
            'the supervisor is offboarded by this import: the employee has no supervisor now'
     from released r left join planned p on p.index = r.index
     where p.index is null or (p.keeps_supervisor and not p.skipped)`,
  );
}
