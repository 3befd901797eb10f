import { escapeLiteral, type Client } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/read-batches.ts';
import type { OffboardedEmployee } from '@survey/proto/common/v1/import_outcome.ts';

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
