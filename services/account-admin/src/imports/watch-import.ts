import { subscribe, type BusConnection } from '@survey/bus/connection.ts';
import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ImportProgress } from '@survey/proto/common/v1/import_outcome.ts';
import type { ImportSummary, WatchImportRequest } from '@survey/proto/admin/v1/admin.ts';
import { ImportProgress as Broadcast } from '@survey/proto/events/v1/events.ts';
import { withAccount } from '../with-account.ts';
import { findImport } from './show-imports.ts';
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

/**
 * Holds the newest value until it is read: a slow reader skips outdated values instead of lagging.
 */
export class LatestValue<T> {
  #latest: T | undefined;
  #wake = (): void => {};

  put(value: T): void {
    this.#latest = value;
    this.#wake();
  }

  /**
   * Returns the newest value since the last call, after at most `timeoutMs`; undefined when there
   * is none. Rejects when the signal is aborted.
   */
  async next(timeoutMs: number, signal: AbortSignal): Promise<T | undefined> {
    if (this.#latest === undefined && timeoutMs > 0) await this.#wait(timeoutMs, signal);
    signal.throwIfAborted();
    const value = this.#latest;
    this.#latest = undefined;
    return value;
  }

  async #wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const timer = setTimeout(wake, timeoutMs);
    signal.addEventListener('abort', wake);
    this.#wake = wake;
    await promise;
    // A watch may wait on the same signal thousands of times.
    signal.removeEventListener('abort', wake);
    clearTimeout(timer);
  }
}
