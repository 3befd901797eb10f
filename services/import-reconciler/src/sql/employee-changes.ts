import type { Client } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/read-batches.ts';

/** A group of employees with the same change. */
export interface EmployeeChange {
  what: 'created' | 'reactivated' | 'updated' | 'offboarded';
  // Field names, separated by commas.
  changed: string;
  // Ids, separated by commas: one string of thousands is read many times faster than one row per
  // id.
  ids: string;
}

// Maximum employees per row.
const TOGETHER = 5_000;
const ROWS_BATCH_SIZE = 20;

const CHANGES = `
with change as (
  select 'created' as what, employee_id as id, '' as changed from planned where is_new and not skipped
  union all
  select case when p.was_deleted then 'reactivated' else 'updated' end, p.employee_id, array_to_string(s.changed, ',')
  from planned p join resolved s on s.index = p.index
  where not p.is_new and (p.was_deleted or cardinality(s.changed) > 0)
  union all
  select 'updated', p.employee_id, 'supervisor'
  from planned p join offboarded l on l.id = p.supervisor_id
  where p.skipped and not p.was_deleted
  union all
  select 'updated', employee_id, 'supervisor' from affected_record where is_changed
  union all
  select 'offboarded', id, '' from offboarded
)
select what, changed, string_agg(id::text, ',') as ids from change group by what, changed, id / ${TOGETHER}`;

/**
 * Reads the import's changes of employees from its working tables, in constant memory. Includes
 * employees with skipped or unchanged records who lost an offboarded supervisor.
 */
export function employeeChanges(tx: Client): AsyncGenerator<EmployeeChange[]> {
  return readBatches(tx, 'employee_change', { query: CHANGES, batchSize: ROWS_BATCH_SIZE });
}
