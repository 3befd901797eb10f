import type { Client } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/read-batches.ts';
import { RESOLVED } from './resolve-plan.ts';

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
  select case when was_deleted then 'reactivated' else 'updated' end, employee_id, array_to_string(all_changed, ',')
  from ${RESOLVED} where not is_new and not skipped and (was_deleted or cardinality(all_changed) > 0)
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
  return readBatches(tx, CHANGES, ROWS_BATCH_SIZE);
}
