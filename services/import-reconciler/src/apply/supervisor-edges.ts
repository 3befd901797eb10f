import { readBinaryCopy } from '@survey/postgres/stream-rows.ts';
import type { Client } from '@survey/postgres/database.ts';
import { addAffected, AFFECTED_EMPLOYEE, type AffectedEmployee } from './working-tables.ts';

// A column count, then two columns of a length and four bytes.
const ROW_BYTES = 18;

/**
 * Returns the position of each employee's supervisor, indexed by the employee's position; 0 for
 * none. Leaves out deleted employees. Uses COPY BINARY for the reason given in known-employees.ts.
 */
export async function readSupervisorPositions(tx: Client, accountId: number, employees: number): Promise<Int32Array> {
  const supervisorOf = new Int32Array(employees + 1);
  await readBinaryCopy(
    tx,
    `copy (select e.position, boss.position from imports.employee e
           join imports.employee boss on boss.account_id = ${accountId} and boss.id = e.supervisor_id
           where e.account_id = ${accountId} and not e.is_deleted and not boss.is_deleted) to stdout (format binary)`,
    (bytes, from) => {
      let at = from;
      for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES)
        supervisorOf[bytes.readInt32BE(at + 6)] = bytes.readInt32BE(at + 14);
      return at;
    },
  );
  return supervisorOf;
}

/**
 * Warns about records whose employees are on a cycle, and clears the content hashes of all such
 * employees, so that the next import reads them again.
 * @param indexes of these employees' records in the snapshot: -1 for none, and for new employees
 */
export async function noteCycles(
  tx: Client,
  accountId: number,
  positions: readonly number[],
  indexes: readonly number[],
): Promise<void> {
  const { rows: employees } = await tx.query<AffectedEmployee>(
    `update imports.employee set content_hash = null
     where account_id = $1 and position = any($2::int[]) returning ${AFFECTED_EMPLOYEE}`,
    [accountId, positions],
  );
  const { rows: added } = await tx.query<{ position: number; index: number }>(
    'select position, index from planned where is_new and not skipped and position = any($1::int[])',
    [positions],
  );
  const indexOf = new Map([
    ...positions.map((position, at) => [position, indexes[at] ?? -1] as const),
    ...added.map(({ position, index }) => [position, index] as const),
  ]);
  const onCycle = employees
    .map((employee) => ({ ...employee, index: indexOf.get(employee.position) ?? -1 }))
    .filter(({ index }) => index >= 0);
  await tx.query(
    `insert into added_issue
     select index, false, '/employees/' || index || case when sends_supervisor then '/reports_to_id' else '' end, 'supervisor_cycle'
     from unnest($1::int[], $2::boolean[]) as c (index, sends_supervisor)`,
    [onCycle.map(({ index }) => index), onCycle.map(({ sends_supervisor }) => sends_supervisor)],
  );
  await addAffected(tx, onCycle, false);
}

/**
 * Returns the positions on a cycle, each once (rule IMPORT-SUPERVISORS-4), in linear time and
 * memory.
 * @param supervisorOf the supervisor's position by position; 0 for none
 */
export function positionsOnCycles(supervisorOf: Int32Array): number[] {
  // For each position, the number of the walk that visited it first: the walk's starting position.
  const walkedBy = new Int32Array(supervisorOf.length);
  const cycleMembers: number[] = [];
  for (let start = 1; start < supervisorOf.length; start++) {
    let at = start;
    while (at !== 0 && walkedBy[at] === 0) {
      walkedBy[at] = start;
      at = supervisorOf[at] ?? 0;
    }
    // The walk has returned to its own path: the cycle starts here.
    if (walkedBy[at] !== start) continue;
    const meeting = at;
    do {
      cycleMembers.push(at);
      at = supervisorOf[at] ?? 0;
    } while (at !== meeting);
  }
  return cycleMembers;
}
