import { broadcast, type BusConnection } from '@survey/bus/connection.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { Counter, Gauge, Histogram, initializeToZero } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { activeTraceparent } from '@survey/process/trace-context.ts';
import type { OpenSpan } from '@survey/process/traces.ts';
import { ImportProgress } from '@survey/proto/events/v1/events.ts';
import { AccountSlots } from '../account-slots.ts';
import { storeEndedAttempts } from './attempts.ts';
import { findQueuedImport, type QueuedImport, reconcileImport, type Retention } from './import-lifecycle.ts';
import { type ImportPhases, PhaseClock } from './import-phases.ts';
import type { ImportJob } from './plan-snapshot.ts';

export interface ImportWorker {
  // Resolves when the import has ended, another worker holds it, or it is long and left to the
  // sweeper because others are running; rejects when this attempt failed.
  run(job: ImportJob): Promise<void>;
  // Starts in the background, unless the import already runs in this process or no slot is free.
  tryStart(job: ImportJob): Promise<void>;
}

export interface ImportWorkerContext extends ServiceContext, Retention {
  pool: Pool;
  bus: BusConnection;
  phases: ImportPhases;
  // Maximum concurrent long imports; one more is short. Each uses two connections.
  concurrency: number;
  // Limits the imports and dry runs that need much memory.
  largeImports: AccountSlots;
  // Wakes the relay to publish messages.
  wake: (accountId: number) => void;
}

const PROGRESS_INTERVAL_MS = 200;
// Imports of more records are long: they take minutes, and leave a slot for the others.
const SHORT_RECORDS = 5_000;
// An import that runs alone keeps others from starting while it waits. Longer than the usual time
// between two sweeps, which renew it.
const SUSPECT_WAITS_MS = 15_000;
const STORE_INTERVAL_MS = 500;

/**
 * Creates the worker that runs imports, each at most once at a time in this process, and reports
 * their progress.
 */
export function createImportWorker(context: ImportWorkerContext): ImportWorker {
  const { pool, bus, phases, largeImports, retentionDays, allowDeletesDays, wake, log } = context;
  const slots = new AccountSlots({ max: context.concurrency + 1, maxPerAccount: 1 });
  const longSlots = new AccountSlots({ max: context.concurrency, maxPerAccount: 1, partOf: slots });
  const slotsFor = ({ employees_total }: QueuedImport): AccountSlots => (employees_total > SHORT_RECORDS ? longSlots : slots);
  const running = new Map<string, Promise<void>>();
  const turns = new SuspectTurns(running);
  const { ended, duration } = registerImportMetrics(pool, context);

  const run = async (job: ImportJob, queued: QueuedImport, span: OpenSpan): Promise<void> => {
    const begunAt = performance.now();
    const clock = new PhaseClock('wait', queued.employees_total, Date.now() - queued.accepted_ms);
    const ids = { account_id: job.accountId, import_uuid: job.importUuid };
    const progress = progressOf(bus, job);
    const outcome = await phases.measure(clock, () =>
      reconcileImport(job, { pool, log, largeImports, retentionDays, allowDeletesDays, progress, clock }),
    );
    if (outcome === undefined) return;
    await failpoint('import.committed');
    ended.inc({ state: outcome.state });
    duration.observe({ state: outcome.state }, Math.max(0, Date.now() - queued.accepted_ms) / 1_000);
    span.set({ 'survey.import.state': outcome.state });
    log.info(
      { ...ids, state: outcome.state, ...outcome.counts, duration_ms: Math.round(performance.now() - begunAt) },
      'import ended',
    );
    wake(job.accountId);
  };

  const start = (job: ImportJob, queued: QueuedImport): Promise<void> => {
    const current = running.get(job.importUuid);
    if (current) return current;
    turns.begin(job, queued);
    const inSlot = slotsFor(queued).run(job.accountId, () => inTrace(job, queued, context, (span) => run(job, queued, span)));
    const started = inSlot.finally(() => {
      running.delete(job.importUuid);
      turns.end(job);
    });
    running.set(job.importUuid, started);
    return started;
  };
  context.resources.defer(async () => {
    await Promise.allSettled(running.values());
  });
  context.resources.use(repeat(STORE_INTERVAL_MS, () => storeEndedAttempts(pool, log)));
  return {
    run: async (job) => {
      const queued = await findQueuedImport(pool, job);
      // A long import that waited here would keep its message, and so keep a short one from being
      // fetched. The sweep finds it again.
      const hasSlot = queued !== undefined && (slotsFor(queued) === slots || longSlots.hasCapacity);
      if (hasSlot && (running.has(job.importUuid) || turns.mayBegin(queued))) await start(job, queued);
    },
    tryStart: async (job) => {
      if (running.has(job.importUuid) || !(slots.hasCapacity || longSlots.hasCapacity)) return;
      const queued = await findQueuedImport(pool, job);
      if (queued === undefined || !slotsFor(queued).hasCapacity || !turns.mayBegin(queued)) return;
      start(job, queued).catch((error: unknown) =>
        log.warn({ err: error, import_uuid: job.importUuid }, 'import attempt failed'),
      );
    },
  };
}

/** Lets an import that may have ended a process run only while no other import does. */
class SuspectTurns {
  readonly #running: ReadonlyMap<string, unknown>;
  #suspect: string | undefined;
  #waitsUntil = 0;

  constructor(running: ReadonlyMap<string, unknown>) {
    this.#running = running;
  }

  mayBegin({ is_suspect }: QueuedImport): boolean {
    if (this.#suspect !== undefined) return false;
    const now = performance.now();
    if (!is_suspect) return now > this.#waitsUntil;
    if (this.#running.size === 0) return true;
    this.#waitsUntil = now + SUSPECT_WAITS_MS;
    return false;
  }

  begin({ importUuid }: ImportJob, { is_suspect }: QueuedImport): void {
    if (!is_suspect) return;
    this.#suspect = importUuid;
    this.#waitsUntil = 0;
  }

  end({ importUuid }: ImportJob): void {
    if (this.#suspect === importUuid) this.#suspect = undefined;
  }
}

// An import started without a message still continues the trace of its request.
async function inTrace(
  { accountId, importUuid }: ImportJob,
  { traceparent }: QueuedImport,
  { traces }: ImportWorkerContext,
  run: (span: OpenSpan) => Promise<void>,
): Promise<void> {
  const parent = activeTraceparent() === undefined ? (traceparent ?? undefined) : undefined;
  const attributes = { 'survey.account_id': accountId, 'survey.import_uuid': importUuid };
  await traces.span('import', { kind: 'internal', attributes, parent }, run);
}

// Progress is best effort; callers must not rely on it.
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

/**
 * Registers the metrics of imports and returns the ones that count ended imports. The number of
 * unfinished imports is read from the database, independent of the bus.
 */
function registerImportMetrics(
  pool: Pool,
  { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>,
): { ended: Counter<'state'>; duration: Histogram<'state'> } {
  const unfinished: Gauge = new Gauge({
    name: 'imports_unfinished',
    help: 'Accepted imports that have not ended, over all accounts.',
    registers: [metrics],
    collect: async () => {
      try {
        unfinished.set(await countUnfinishedImports(pool));
      } catch (error) {
        log.warn({ err: error }, 'unfinished import count failed');
      }
    },
  });
  const ended = new Counter({
    name: 'imports_total',
    help: 'Ended imports, by state.',
    labelNames: ['state'],
    registers: [metrics],
  });
  const duration = new Histogram({
    name: 'import_total_duration_seconds',
    help: 'Time from the acceptance of an import to its end, in seconds.',
    labelNames: ['state'],
    buckets: [1, 5, 15, 60, 300, 900, 1_800, 3_600],
    registers: [metrics],
  });
  for (const state of ['applied', 'cancelled', 'failed']) {
    initializeToZero(ended, [{ state }]);
    duration.zero({ state });
  }
  return { ended, duration };
}

async function countUnfinishedImports(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*) from imports.unfinished_imports()');
  return rows[0]?.count ?? 0;
}
