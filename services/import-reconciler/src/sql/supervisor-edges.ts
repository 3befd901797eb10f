import { readBinaryCopy } from '@survey/postgres/copy-out.ts';
import type { Client } from '@survey/postgres/database.ts';

// A column count, then two columns of a length and four bytes.
const ROW_BYTES = 18;

/**
 * Returns the position of each employee's supervisor by position, 0 for none; only employees that
 * are not deleted. Uses COPY BINARY for the reason given in known-employees.ts.
 */
export async function supervisorEdges(tx: Client, accountId: number, employees: number): Promise<Int32Array> {
  const above = new Int32Array(employees + 1);
  await readBinaryCopy(
    tx,
    `copy (select e.position, boss.position from imports.employee e
           join imports.employee boss on boss.account_id = ${accountId} and boss.id = e.supervisor_id
           where e.account_id = ${accountId} and not e.is_deleted and not boss.is_deleted) to stdout (format binary)`,
    (bytes, from) => {
      let at = from;
      for (; bytes.length - at >= ROW_BYTES; at += ROW_BYTES) above[bytes.readInt32BE(at + 6)] = bytes.readInt32BE(at + 14);
      return at;
    },
  );
  return above;
}

/**
 * Warns about records whose employees are on a cycle, and clears the content hashes of all such
 * employees, so that the next import reads them again.
 * @param indexes of the positions' records, -1 for none and for new employees
 */
export async function noteCycles(
  tx: Client,
  accountId: number,
  positions: readonly number[],
  indexes: readonly number[],
): Promise<void> {
  await tx.query(
    `with on_cycle as materialized (
       select c.position, coalesce(p.index, c.index) as index, e.sends_supervisor
       from unnest($2::int[], $3::int[]) as c (position, index)
       join imports.employee e on e.account_id = $1 and e.position = c.position
       left join planned p on p.position = c.position and p.is_new and not p.skipped
     ), unknown as (
       update imports.employee e set content_hash = null
       from on_cycle c where e.account_id = $1 and e.position = c.position and e.content_hash is not null
     ), standing_by as (
       insert into affected_record
       select index, position, false from on_cycle c where index >= 0 and not exists (select from planned p where p.index = c.index)
     )
     insert into added_issue
     select index, false, '/employees/' || index || case when sends_supervisor then '/reports_to_id' else '' end, 'supervisor_cycle',
            'the chain of supervisors leads back to this employee'
     from on_cycle where index >= 0`,
    [accountId, positions, indexes],
  );
}
