import { enqueue, type OutboxEntry } from '@survey/bus/outbox.ts';
import type { Client } from '@survey/postgres/database.ts';
import { EmployeeEvent, type ChangedEmployee } from '@survey/proto/events/v1/events.ts';
import { employeeChanges, type EmployeeChange } from './employee-changes.ts';
import type { ImportJob } from './plan-snapshot.ts';

const MAX_EMPLOYEES = 1_000;

/**
 * Publishes which employees the import created, updated, offboarded and reactivated: ids and field
 * names, never values (rule DATA-EVENTS-1). Runs in the import's transaction. Returns the last
 * events, to enqueue before the one that reports the import as applied: consumers of that event
 * have then received all of these.
 */
export async function enqueueEmployeeEvents(tx: Client, job: ImportJob): Promise<OutboxEntry[]> {
  const filling = new Map<EmployeeChange['what'], ChangedEmployee[]>();
  for await (const changes of employeeChanges(tx)) {
    const full: OutboxEntry[] = [];
    for (const { what, ids, changed } of changes) {
      const changed_fields = changed === '' ? [] : changed.split(',');
      for (const id of ids.split(',')) {
        const employees = filling.get(what) ?? [];
        filling.set(what, employees);
        if (employees.push({ id: Number(id), changed_fields }) < MAX_EMPLOYEES) continue;
        filling.delete(what);
        full.push(eventOf(job, what, employees));
      }
    }
    if (full.length > 0) await enqueue(tx, 'imports', job.accountId, full);
  }
  return [...filling].map(([what, employees]) => eventOf(job, what, employees));
}

function eventOf({ accountId, importUuid }: ImportJob, what: EmployeeChange['what'], employees: ChangedEmployee[]): OutboxEntry {
  const payload = EmployeeEvent.encode({ account_id: accountId, import_uuid: importUuid, employees }).finish();
  return { subject: `events.employee.${what}`, payload };
}
