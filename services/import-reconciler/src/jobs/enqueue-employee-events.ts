import { enqueue, type OutboxEntry } from '@survey/bus/outbox.ts';
import type { Client } from '@survey/postgres/database.ts';
import { EmployeeEvent, type ChangedEmployee } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { employeeChanges, type EmployeeChange } from '../sql/employee-changes.ts';
import type { ImportJob } from './apply-import.ts';

const MAX_EMPLOYEES = 1_000;

interface Batch {
  what: EmployeeChange['what'];
  employees: ChangedEmployee[];
}

/**
 * Publishes which employees the import created, updated, offboarded and reactivated: ids and field
 * names, never values (rule DATA-EVENTS-1). Runs in the import's transaction and before the event
 * that reports it as applied, so consumers of that event have already received these.
 */
export async function enqueueEmployeeEvents(tx: Client, job: ImportJob): Promise<void> {
  const filling = new Map<EmployeeChange['what'], Batch>();
  for await (const changes of employeeChanges(tx)) {
    const full = changes.flatMap((change) => addToBatches(filling, change));
    await announce(tx, job, full);
  }
  await announce(tx, job, [...filling.values()]);
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

async function announce(tx: Client, { accountId, importUuid }: ImportJob, batches: readonly Batch[]): Promise<void> {
  if (batches.length === 0) return;
  const messages = batches.map(({ what, employees }): OutboxEntry => ({
    subject: `events.employee.${what}`,
    payload: EmployeeEvent.encode({ account_id: accountId, import_uuid: importUuid, employees }).finish(),
  }));
  await enqueue(tx, 'imports', accountId, messages);
}
