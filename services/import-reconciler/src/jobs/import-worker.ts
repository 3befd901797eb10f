import { broadcast } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { Counter, Gauge } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { ImportProgress } from '@survey/rpc/gen/survey/events/v1/events.ts';
import type { ImportJob } from './apply-import.ts';
import { reconcileImport } from './reconcile-import.ts';

export interface ImportWorker {
  // Resolves when the import is over or somebody else has it; throws when this attempt failed.
  work(job: ImportJob): Promise<void>;
}

export interface ImportWorkerTools extends ServiceTools {
  pool: Pool;
  bus: BusConnection;
  retentionDays: number;
  // Tells the relay that messages wait.
  wake: () => void;
}

const PROGRESS_EVERY_MS = 200;

/** Runs imports, each at most once at a time in this process, and tells how they go. */
export function createImportWorker({ pool, bus, retentionDays, wake, log, metrics }: ImportWorkerTools): ImportWorker {
  const ended = new Counter({
    name: 'imports_total',
    help: 'Imports by how they ended',
    labelNames: ['state'],
    registers: [metrics],
  });
  const running = new Map<string, Promise<void>>();
  const startedAt = new Map<string, number>();
  const longest: Gauge = new Gauge({
    name: 'import_running_seconds',
    help: 'How long the oldest import has been worked on, 0 without one',
    registers: [metrics],
    collect: () => longest.set(secondsSince(Math.min(...startedAt.values()))),
  });

  const work = async (job: ImportJob): Promise<void> => {
    const startedAt = performance.now();
    const ids = { account: job.accountId, import: job.importUuid };
    const ending = await reconcileImport(job, { pool, log, retentionDays, progress: progressOf(bus, job) });
    if (ending === undefined) return;
    ended.inc({ state: ending.state });
    log.info({ ...ids, state: ending.state, ...ending.counts, ms: Math.round(performance.now() - startedAt) }, 'import ended');
    wake();
  };

  return {
    work: (job) => {
      const current = running.get(job.importUuid);
      if (current) return current;
      startedAt.set(job.importUuid, performance.now());
      const started = work(job).finally(() => {
        running.delete(job.importUuid);
        startedAt.delete(job.importUuid);
      });
      running.set(job.importUuid, started);
      return started;
    },
  };
}

function secondsSince(startedAtMs: number): number {
  return Number.isFinite(startedAtMs) ? (performance.now() - startedAtMs) / 1_000 : 0;
}

// Never state: whoever watches sees it, nobody may rely on it.
function progressOf(bus: BusConnection, { accountId, importUuid }: ImportJob) {
  let toldAt = 0;
  return (phase: string, done: number, total: number): void => {
    const now = performance.now();
    if (now - toldAt < PROGRESS_EVERY_MS && done < total) return;
    toldAt = now;
    const message = ImportProgress.encode({ account_id: accountId, import_uuid: importUuid, phase, done, total }).finish();
    broadcast(bus, `progress.import.${accountId}`, message);
  };
}
