import { retentionLag } from '@survey/bus/retention.ts';
import { inTransaction, type Pool } from '@survey/postgres/database.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import type { ImportWorker } from './import-worker.ts';

// Deletion is not urgent, so an idle service looks for it only in every fourth sweep.
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
    // Started only, so a small import does not wait for another account's large one.
    for (const job of await dueImports(pool)) await worker.tryStart(job);
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

/**
 * Terminates connections of instances paused in a COPY for longer than the idle-transaction
 * timeout, so that others can take over their imports. PostgreSQL considers such a COPY active, so
 * none of its timeouts applies.
 */
async function terminateStalledCopies(pool: Pool): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename = current_user and state = 'active' and wait_event in ('ClientRead', 'ClientWrite')
       and query_start < clock_timestamp() - current_setting('idle_in_transaction_session_timeout')::interval`,
  );
}

/** Returns the unfinished imports whose next attempt is due. */
async function dueImports(pool: Pool): Promise<{ accountId: number; importUuid: string }[]> {
  const { rows } = await pool.query<{ accountId: number; importUuid: string }>(
    'select account_id as "accountId", import_uuid as "importUuid" from imports.due_imports()',
  );
  return rows;
}

/** Returns the seconds since the oldest data that is not deleted yet has expired, by kind. */
async function measureLag(pool: Pool): Promise<{ kind: string; seconds: number }[]> {
  return (await pool.query<{ kind: string; seconds: number }>('select kind, seconds from imports.retention_lag()')).rows;
}

const PARTS_BATCH_SIZE = 20;

/** Deletes a limited number of expired records per call; the next call continues. */
async function deleteExpiredRecords(pool: Pool): Promise<void> {
  for (let parts = 0; parts < PARTS_BATCH_SIZE; parts++) {
    const { rows } = await pool.query<{ deleted: boolean }>('select imports.delete_expired_records() as deleted');
    if (rows[0]?.deleted !== true) return;
  }
}

/**
 * Deletes bodies whose retention for allow-deletes has expired, each in its own transaction: one
 * body has up to 16 GiB.
 */
async function deleteExpiredBodies(pool: Pool): Promise<void> {
  for (let bodies = 0; bodies < PARTS_BATCH_SIZE; bodies++) {
    const isDeleted = await inTransaction(pool, async (tx) => {
      await tx.query("set local statement_timeout = '15min'");
      const { rows } = await tx.query<{ deleted: boolean }>('select imports.delete_expired_body() as deleted');
      return rows[0]?.deleted === true;
    });
    if (!isDeleted) return;
  }
}

/**
 * Deletes a limited number of bodies without progress for an hour: interrupted uploads, and bodies
 * kept for a dry run that never started.
 */
async function deleteAbandonedBodies(pool: Pool): Promise<void> {
  await pool.query('select imports.delete_abandoned_bodies()');
}
