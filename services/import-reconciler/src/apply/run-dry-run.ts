import { inAccountRolledBack, type Client, type Pool } from '@survey/postgres/database.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import type { CheckedSnapshot, DryRunOutcome, DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import { busy, conflict, notFound } from '@survey/rpc/application-error.ts';
import { lockAccountState, type AccountState } from '../tables/account-lock.ts';
import { prepareTransaction } from './prepare-transaction.ts';
import type { ImportOutcome } from '../tables/import-row.ts';
import { readIntegration } from '../tables/connected-integration.ts';
import { keptRecords } from './kept-records.ts';
import { readOffboarded } from './offboarded.ts';
import { lockUpload } from '../tables/stored-body.ts';
import { isImportRunning } from '../tables/running-import.ts';
import { contentEncoding } from '../upload/content-headers.ts';
import { applyImport } from './apply-import.ts';
import { cancelWhenImportAccepted } from './cancel-for-import.ts';

export interface DryRunOptions {
  pool: Pool;
  accountId: number;
  snapshot: CheckedSnapshot;
  // Year for Age Category and Seniority (rule IMPORT-ATTRIBUTES-YEARS-4); default: the current
  // year.
  acceptedYear?: number;
  // Resolves when the caller reads the part; rejects once the caller has disconnected.
  send: (part: DryRunPart) => Promise<void>;
  // Aborted when the caller disconnects.
  signal: AbortSignal;
}

/**
 * Reports what an import of the snapshot would do now: runs the import in a transaction that is
 * rolled back.
 * It locks the account like an import, so it fails with `conflict` while one runs and as soon as
 * one is accepted; imports wait for it only briefly.
 */
export async function runDryRun(options: DryRunOptions): Promise<void> {
  const { pool, accountId, snapshot, send, signal } = options;
  let wasCancelled = (): boolean => false;
  try {
    const applySnapshot = async (tx: Client): Promise<void> => {
      await prepareTransaction(tx);
      const state = await lockIfFree(tx, accountId);
      await using watch = await cancelWhenImportAccepted(pool, tx, accountId);
      ({ wasCancelled } = watch);
      const ending = await planAndApply(tx, state, options);
      await send({ outcome: outcomeOf(ending, snapshot.employees_total) });
      for await (const records of keptRecords(tx, accountId, snapshot.snapshot_uuid)) await send({ records: { records } });
      for await (const employees of readOffboarded(tx, accountId, snapshot.snapshot_uuid))
        await send({ offboarded: { employees } });
    };
    await inAccountRolledBack(pool, accountId, applySnapshot, signal);
  } catch (error) {
    throw wasCancelled() ? conflict('an import was accepted meanwhile: retry when it has ended') : error;
  }
}

async function lockIfFree(tx: Client, accountId: number): Promise<AccountState> {
  const running = (): Error => conflict('an import of this account is running: retry when it has ended');
  if (await isImportRunning(tx, accountId)) throw running();
  await tx.query("set local lock_timeout = '2s'");
  const state = await lockAccountState(tx, accountId).catch((error: unknown) => {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw busy('the employees of this account are being changed: retry later');
  });
  await tx.query('set local lock_timeout = 0');
  return state;
}

async function planAndApply(tx: Client, state: AccountState, options: DryRunOptions): Promise<ImportOutcome> {
  const { pool, accountId, snapshot, acceptedYear, send, signal } = options;
  const integration = await readIntegration(tx, accountId);
  if (integration === undefined) throw notFound('the REST API integration is not connected for this account');
  if (!(await lockUpload(tx, { accountId, importUuid: snapshot.snapshot_uuid })))
    throw notFound('the snapshot has been deleted: send it again');
  return applyImport(tx, {
    job: { accountId, importUuid: snapshot.snapshot_uuid },
    row: {
      accepted_year: acceptedYear ?? integration.year,
      content_encoding: contentEncoding(snapshot.content_encoding),
      employees_total: snapshot.employees_total,
      deletes_allowed: false,
      content_digest: null,
    },
    integration,
    state,
    pool,
    // Progress is sent without waiting for delivery.
    progress: (phase, done, total) => {
      signal.throwIfAborted();
      void send({ progress: { state: '', phase, done, total } }).catch(() => undefined);
    },
  });
}

function outcomeOf(ending: ImportOutcome, employeesTotal: number): DryRunOutcome {
  const { state, counts, cancelReasons, managed, deletionThreshold } = ending;
  return {
    state,
    counts,
    cancel_reasons: [...cancelReasons],
    managed,
    deletion_threshold: deletionThreshold,
    employees_total: employeesTotal,
  };
}
