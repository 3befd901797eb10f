import { enqueue } from '@survey/bus/outbox.ts';
import type { Client } from '@survey/postgres/database.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import { ImportEvent, ImportJob } from '@survey/proto/events/v1/events.ts';
import { conflict } from '@survey/rpc/application-error.ts';
import { insertImport, type Acceptance } from './accept-import.ts';
import { ZERO_COUNTS } from '../tables/import-row.ts';

/**
 * Takes the account's only slot for a running import and enqueues the job and the event. Fails with
 * `conflict` when the slot is taken.
 */
export async function queueImport(tx: Client, acceptance: Acceptance): Promise<void> {
  const { accountId, importUuid } = acceptance;
  const ids = { account_id: accountId, import_uuid: importUuid };
  const accepted = ImportEvent.encode({ ...ids, state: 'accepted', counts: ZERO_COUNTS }).finish();
  try {
    if (!(await insertImport(tx, acceptance))) throw alreadyRunning();
    await enqueue(tx, 'imports', accountId, [
      { subject: 'jobs.import', payload: ImportJob.encode(ids).finish() },
      { subject: 'events.import.accepted', payload: accepted },
    ]);
  } catch (error) {
    throw sqlState(error) === LOCK_NOT_AVAILABLE ? alreadyRunning() : error;
  }
}

function alreadyRunning(): Error {
  return conflict('an import for this account is still running: wait until it has ended, then send the snapshot again');
}
