import { enqueue, type OutboxEntry } from '@survey/bus/outbox.ts';
import type { Client } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/stream-rows.ts';
import { type ChangedEmployee, EmployeeEvent } from '@survey/proto/events/v1/events.ts';
import type { ImportJob } from './plan-snapshot.ts';
import { RESOLVED } from './resolve-plan.ts';

const MAX_EMPLOYEES = 1_000;

/**
 * Publishes which employees the import created, updated, offboarded and reactivated: ids and field
 * names, never values (rule DATA-EVENTS-1). Runs in the import's transaction. Returns the last
 * events, to enqueue before the one that reports the import as applied: consumers of that event
 * have then received all of these.
 */
export async function enqueueEmployeeEvents(tx: Client, job: ImportJob): Promise<OutboxEntry[]> {
  const partialBatches = new Map<EmployeeChange['kind'], ChangedEmployee[]>();
  for await (const changes of employeeChanges(tx)) {
    const fullBatches: OutboxEntry[] = [];
    for (const { kind, ids, changed } of changes) {
      const changed_fields = changed === '' ? [] : changed.split(',');
      for (const id of ids.split(',')) {
        const employees = partialBatches.get(kind) ?? [];
        partialBatches.set(kind, employees);
        if (employees.push({ id: Number(id), changed_fields }) < MAX_EMPLOYEES) continue;
        partialBatches.delete(kind);
        fullBatches.push(eventOf(job, kind, employees));
      }
    }
    if (fullBatches.length > 0) await enqueue(tx, 'imports', job.accountId, fullBatches);
  }
  return [...partialBatches].map(([kind, employees]) => eventOf(job, kind, employees));
}

function eventOf({ accountId, importUuid }: ImportJob, kind: EmployeeChange['kind'], employees: ChangedEmployee[]): OutboxEntry {
  const payload = EmployeeEvent.encode({ account_id: accountId, import_uuid: importUuid, employees }).finish();
  return { subject: `events.employee.${kind}`, payload };
}

/** A group of employees with the same change. */
interface EmployeeChange {
  kind: 'created' | 'reactivated' | 'updated' | 'offboarded';
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
  select 'created' as kind, employee_id as id, '' as changed from planned where is_new and not skipped
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
select kind, changed, string_agg(id::text, ',') as ids from change group by kind, changed, id / ${TOGETHER}`;

/**
 * Reads the import's changes of employees from its working tables, in constant memory. Includes
 * employees with skipped or unchanged records who lost an offboarded supervisor.
 */
function employeeChanges(tx: Client): AsyncGenerator<EmployeeChange[]> {
  return readBatches(tx, CHANGES, ROWS_BATCH_SIZE);
}
