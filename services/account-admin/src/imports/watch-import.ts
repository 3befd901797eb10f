import { subscribe } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ImportProgress } from '@survey/proto/common/v1/import_outcome.ts';
import type { ImportSummary, WatchImportRequest } from '@survey/proto/admin/v1/admin.ts';
import { ImportProgress as Broadcast } from '@survey/proto/events/v1/events.ts';
import { withAccount } from '../with-account.ts';
import { LatestValue } from './latest-value.ts';
import { findImport } from './import-summary.ts';
import { checkUuid } from '../uuid.ts';

const READ_STATE_INTERVAL_MS = 500;

/**
 * Yields the progress of an import until it has ended, its final state last. Progress comes from
 * the bus but the final state from the database, so a watch also ends when the bus is unavailable.
 * Fails with the reason of `stopping`.
 */
export const watchImport = (pool: Pool, bus: BusConnection, stopping: AbortSignal) =>
  async function* (request: WatchImportRequest, call: CallContext): AsyncIterable<ImportProgress> {
    const { account_id: accountId, import_uuid: importUuid } = request;
    checkUuid(importUuid, 'import_uuid');
    const read = (): Promise<ImportSummary> =>
      withAccount(pool, call, accountId, (client) => findImport(client, accountId, importUuid));
    const ended = AbortSignal.any([call.signal, stopping]);
    const updates = new LatestValue<Broadcast>();
    // Subscribes before the first read, so that no message is missed in between.
    using _listening = subscribe(bus, `progress.import.${accountId}`, (payload) => {
      const progress = Broadcast.decode(payload);
      if (progress.import_uuid === importUuid.toLowerCase()) updates.put(progress);
    });
    let summary = await read();
    let readAgainAt = performance.now() + READ_STATE_INTERVAL_MS;
    yield progressOf(summary);
    while (summary.state === 'accepted') {
      const progress = await updates.next(readAgainAt - performance.now(), ended);
      if (progress !== undefined)
        yield { state: summary.state, phase: progress.phase, done: progress.done, total: progress.total };
      if (performance.now() < readAgainAt) continue;
      summary = await read();
      readAgainAt = performance.now() + READ_STATE_INTERVAL_MS;
    }
    yield progressOf(summary);
  };

function progressOf({ state, employees_total: total }: ImportSummary): ImportProgress {
  return { state, phase: '', done: state === 'applied' ? total : 0, total };
}
