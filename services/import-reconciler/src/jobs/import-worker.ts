import { broadcast } from '@survey/bus/broadcast.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { initializeToZero, Counter, Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { activeTraceparent } from '@survey/process/trace-context.ts';
import type { OpenSpan } from '@survey/process/traces.ts';
import { ImportProgress } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { FairLimiter } from '../fair-limiter.ts';
import type { Retention } from '../sql/import-row.ts';
import { importTrace } from '../sql/import-trace.ts';
import { hasLargeRecords } from '../sql/large-records.ts';
import type { ImportJob } from './apply-import.ts';
import { reconcileImport } from './reconcile-import.ts';

export interface ImportWorker {
  // Resolves when the import is over or somebody else has it; throws when this attempt failed.
  run(job: ImportJob): Promise<void>;
  // Begins in the background, when nobody here is at it and there is a place.
  tryStart(job: ImportJob): void;
}

export interface ImportWorkerTools extends ServiceContext, Retention {
  pool: Pool;
  bus: BusConnection;
  // Imports at the same time: each takes two connections.
  concurrency: number;
  // Those among them, and among dry runs, that take much memory.
  largeImports: FairLimiter;
  // Tells the relay that messages wait.
  wake: () => void;
}

const PROGRESS_INTERVAL_MS = 200;

/** Runs imports, each at most once at a time in this process, and tells how they go. */
export function createImportWorker(tools: ImportWorkerTools): ImportWorker {
  const { pool, bus, largeImports, retentionDays, allowDeletesDays, wake, log, metrics } = tools;
  const slots = new FairLimiter({ max: tools.concurrency, maxPerAccount: tools.concurrency });
  const ended = new Counter({
    name: 'imports_total',
    help: 'Imports by how they ended',
    labelNames: ['state'],
    registers: [metrics],
  });
  initializeToZero(ended, [{ state: 'applied' }, { state: 'cancelled' }, { state: 'failed' }]);
  const running = new Map<string, Promise<void>>();
  const startedAt = new Map<string, number>();
  const longest: Gauge = new Gauge({
    name: 'import_oldest_running_seconds',
    help: 'How long the oldest import has been worked on, 0 without one',
    registers: [metrics],
    collect: () => longest.set(secondsSince(Math.min(...startedAt.values()))),
  });

  const run = async (job: ImportJob, span: OpenSpan): Promise<void> => {
    const begunAt = performance.now();
    startedAt.set(job.importUuid, begunAt);
    const ids = { account_id: job.accountId, import_uuid: job.importUuid };
    const ending = await reconcileImport(job, { pool, log, retentionDays, allowDeletesDays, progress: progressOf(bus, job) });
    if (ending === undefined) return;
    await failpoint('import.committed');
    ended.inc({ state: ending.state });
    span.set({ 'survey.import.state': ending.state });
    log.info(
      { ...ids, state: ending.state, ...ending.counts, duration_ms: Math.round(performance.now() - begunAt) },
      'import ended',
    );
    wake();
  };

  const start = (job: ImportJob): Promise<void> => {
    const current = running.get(job.importUuid);
    if (current) return current;
    const inSlot = (): Promise<void> => slots.run(job.accountId, () => inTrace(job, tools, (span) => run(job, span)));
    const begun = async (): Promise<void> => {
      if (!(await inAccount(pool, job.accountId, (tx) => hasLargeRecords(tx, job)))) return inSlot();
      // The sweeper finds it again: waiting here would hold its message, and so the imports of others.
      if (largeImports.hasCapacity) await largeImports.run(job.accountId, inSlot);
    };
    const started = begun().finally(() => {
      running.delete(job.importUuid);
      startedAt.delete(job.importUuid);
    });
    running.set(job.importUuid, started);
    return started;
  };
  tools.resources.defer(async () => {
    await Promise.allSettled(running.values());
  });
  return {
    run: start,
    tryStart: (job) => {
      if (running.has(job.importUuid) || !slots.hasCapacity) return;
      start(job).catch((error: unknown) => log.warn({ err: error, import_uuid: job.importUuid }, 'attempt failed'));
    },
  };
}

// Whom no message has brought here continues the trace of the import's request all the same.
async function inTrace(
  { accountId, importUuid }: ImportJob,
  { pool, traces }: ImportWorkerTools,
  run: (span: OpenSpan) => Promise<void>,
): Promise<void> {
  const parent = activeTraceparent() === undefined ? await importTrace(pool, accountId, importUuid) : undefined;
  const attributes = { 'survey.account_id': accountId, 'survey.import_uuid': importUuid };
  await traces.span('import', { kind: 'internal', attributes, parent }, run);
}

function secondsSince(startedAtMs: number): number {
  return Number.isFinite(startedAtMs) ? (performance.now() - startedAtMs) / 1_000 : 0;
}

// Never state: whoever watches sees it, nobody may rely on it.
function progressOf(bus: BusConnection, { accountId, importUuid }: ImportJob) {
  let lastSentAt = 0;
  return (phase: string, done: number, total: number): void => {
    const now = performance.now();
    if (now - lastSentAt < PROGRESS_INTERVAL_MS && done < total) return;
    lastSentAt = now;
    const message = ImportProgress.encode({ account_id: accountId, import_uuid: importUuid, phase, done, total }).finish();
    broadcast(bus, `progress.import.${accountId}`, message);
  };
}
