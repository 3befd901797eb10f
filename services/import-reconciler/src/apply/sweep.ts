import { retentionLag } from '@survey/bus/retention.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { terminateStalledCopies } from './terminate-stalled-copies.ts';
import {
  deleteAbandonedBodies,
  deleteExpiredBodies,
  deleteExpiredRecords,
  dueImports,
  measureLag,
} from './unfinished-imports.ts';
import type { ImportWorker } from './import-worker.ts';

// Deletion is not urgent: every fourth sweep keeps an idle service quiet.
const SWEEPS_PER_CLEANUP = 4;

/**
 * Starts the sweeper. At startup and periodically it starts accepted imports that no worker holds,
 * ends stalled transactions of paused instances, and deletes abandoned bodies and expired data.
 */
export function startSweeper(
  pool: Pool,
  worker: ImportWorker,
  everyMs: number,
  { log, metrics, resources }: ServiceContext,
): void {
  const lag = retentionLag(metrics);
  let sweeps = 0;
  const sweep = async (): Promise<void> => {
    await terminateStalledCopies(pool);
    // Started concurrently, so a small import does not wait for another account's large one.
    for (const job of await dueImports(pool)) worker.tryStart(job);
    if (sweeps++ % SWEEPS_PER_CLEANUP > 0) return;
    // First, so that a failing deletion is noticed.
    for (const { kind, seconds } of await measureLag(pool)) lag.set({ kind }, seconds);
    await deleteAbandonedBodies(pool);
    await deleteExpiredBodies(pool);
    await deleteExpiredRecords(pool);
  };
  // The first run is at startup, so that work continues immediately after a crash.
  resources.use(repeat(everyMs, sweep, (error) => log.warn({ err: error }, 'import sweep failed')));
}
