import { enqueue, type OutboxEntry } from '@survey/bus/outbox.ts';
import type { Client } from '@survey/postgres/database.ts';
import { EmployeeEvent, type ChangedEmployee } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { employeeChanges, type EmployeeChange } from '../sql/employee-changes.ts';
import type { ImportJob } from './plan-snapshot.ts';

const MAX_EMPLOYEES = 1_000;

interface Batch {
  what: EmployeeChange['what'];
  employees: ChangedEmployee[];
}

/**
 * Publishes which employees the import created, updated, offboarded and reactivated: ids and field
 * names, never values (rule DATA-EVENTS-1). Runs in the import's transaction. Returns the last
 * events, to enqueue before the one that reports the import as applied: consumers of that event
 * have then received all of these.
 */
export async function enqueueEmployeeEvents(tx: Client, job: ImportJob): Promise<OutboxEntry[]> {
  const filling = new Map<EmployeeChange['what'], Batch>();
  for await (const changes of employeeChanges(tx)) {
    const full = changes.flatMap((change) => addToBatches(filling, change));
    if (full.length > 0)
      await enqueue(
        tx,
        'imports',
        job.accountId,
        full.map((batch) => eventOf(job, batch)),
      );
  }
  return [...filling.values()].map((batch) => eventOf(job, batch));
}

// Returns the batches that become full.
function addToBatches(filling: Map<EmployeeChange['what'], Batch>, { what, ids, changed }: EmployeeChange): Batch[] {
  const changed_fields = changed === '' ? [] : changed.split(',');
  const full: Batch[] = [];
  for (const id of ids.split(',')) {
    const batch = filling.get(what) ?? { what, employees: [] };
    filling.set(what, batch);
    batch.employees.push({ id: Number(id), changed_fields });
    if (batch.employees.length < MAX_EMPLOYEES) continue;
    filling.delete(what);
    full.push(batch);
  }
  return full;
}

function eventOf({ accountId, importUuid }: ImportJob, { what, employees }: Batch): OutboxEntry {
  const payload = EmployeeEvent.encode({ account_id: accountId, import_uuid: importUuid, employees }).finish();
  return { subject: `events.employee.${what}`, payload };
}
