import { withDetails } from '@survey/formats/import-reasons.ts';
import { LOCK_NOT_AVAILABLE, sqlState } from '@survey/postgres/database-error.ts';
import { type Client, escapeLiteral, inAccount, inAccountRolledBack, type Pool } from '@survey/postgres/database.ts';
import { issuesOf } from '@survey/postgres/import-issues.ts';
import { readBatches } from '@survey/postgres/stream-rows.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { CheckedSnapshot, DryRunOutcome, DryRunPart, ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import type { DryRunImportRequest } from '@survey/proto/imports/v1/imports.ts';
import { busy, conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';
import { AccountSlots } from '../account-slots.ts';
import { type AccountState, lockAccountState } from '../tables/account-lock.ts';
import { deleteUpload, hasLargeRecords, lockUpload } from '../tables/stored-body.ts';
import { notConnected } from '../upload/receive-snapshot.ts';
import { parseContentEncoding } from '../upload/upload-headers.ts';
import { applyImport, prepareTransaction } from './apply-import.ts';
import { readIntegration } from './connected-integration.ts';
import { isImportRunning } from './import-lifecycle.ts';
import type { ImportOutcome } from './import-outcome.ts';
import { readOffboarded } from './offboard.ts';

// Maximum concurrent dry runs; each uses the memory and connections of an import.
export const MAX_DRY_RUNS = 2;

/**
 * Serves dry runs of checked snapshots, one at a time per account. A queued dry run reports its
 * position in the queue.
 */
export function dryRunImport(pool: Pool, largeImports: AccountSlots) {
  const slots = new AccountSlots({ max: MAX_DRY_RUNS, maxPerAccount: 1 });
  return async function* ({ snapshot }: DryRunImportRequest, call: CallContext): AsyncIterable<DryRunPart> {
    const accountId = accountOf(call);
    if (snapshot === null) throw invalid('the request must contain a snapshot');
    const owner = { accountId, importUuid: snapshot.snapshot_uuid };
    try {
      yield* streamParts(call.signal, async ({ send, signal }) => {
        // The stream itself reports that the caller has disconnected.
        const waiting = { signal, onPosition: (position: number) => void send({ position }).catch(() => undefined) };
        const options = { pool, accountId, snapshot, signal, send };
        const isLarge = await inAccount(pool, accountId, (tx) => hasLargeRecords(tx, owner));
        const run = isLarge
          ? () => runLargeDryRun(options, (work) => largeImports.run(accountId, work, waiting))
          : () => runDryRun(options);
        await slots.run(accountId, run, waiting);
      });
    } finally {
      await inAccount(pool, accountId, (tx) => deleteUpload(tx, owner));
    }
  };
}

// Frees the memory slot once the outcome is known, even when the caller reads the records slowly.
async function runLargeDryRun(options: DryRunOptions, inSlot: (work: () => Promise<void>) => Promise<void>): Promise<void> {
  const planned = Promise.withResolvers<void>();
  const send: DryRunOptions['send'] = (part) => {
    if (part.outcome != null) planned.resolve();
    return options.send(part);
  };
  let finished = Promise.resolve();
  await inSlot(() => {
    finished = runDryRun({ ...options, send });
    return Promise.race([planned.promise, finished]);
  });
  await finished;
}

// Streams parts as fast as the caller reads them. The transaction ends before the stream does.
async function* streamParts(
  callerSignal: AbortSignal,
  work: (caller: Pick<DryRunOptions, 'send' | 'signal'>) => Promise<void>,
): AsyncIterable<DryRunPart> {
  const { readable, writable } = new TransformStream<DryRunPart, DryRunPart>();
  const writer = writable.getWriter();
  const disconnected = new AbortController();
  const signal = AbortSignal.any([callerSignal, disconnected.signal]);
  // Rejected if the stream has ended or was aborted before, when there is nothing left to do.
  const abortStream = (): void => void writer.abort(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', abortStream);
  const done = work({ send: (part) => writer.write(part), signal }).then(
    () => writer.close(),
    (error: unknown) => writer.abort(error),
  );
  try {
    yield* readable;
  } finally {
    disconnected.abort(new Error('the caller has disconnected'));
    // `readable` has passed its error on.
    await done.catch(() => undefined);
  }
}

interface DryRunOptions {
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
      const outcome = await planAndApply(tx, state, options);
      await send({ outcome: outcomeOf(outcome, snapshot.employees_total) });
      for await (const records of readRecordResults(tx, accountId, snapshot.snapshot_uuid))
        await send({ records: { records: records.map(withDetails) } });
      for await (const employees of readOffboarded(tx, accountId, snapshot.snapshot_uuid))
        await send({ offboarded: { employees } });
    };
    await inAccountRolledBack(pool, accountId, applySnapshot, signal);
  } catch (error) {
    throw wasCancelled() ? conflict('an import was accepted in the meantime: retry when it has ended') : error;
  }
}

/**
 * Locks the account for a change that an operator or admin waits for.
 * @throws `conflict` while an import of it is running, `busy` when something else changes employees
 */
export async function lockIfFree(tx: Client, accountId: number): Promise<AccountState> {
  const runningError = (): Error => conflict('an import of this account is running: retry when it has ended');
  if (await isImportRunning(tx, accountId)) throw runningError();
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
  if (integration === undefined) throw notConnected();
  if (!(await lockUpload(tx, { accountId, importUuid: snapshot.snapshot_uuid })))
    throw notFound('the snapshot has been deleted: send it again');
  return applyImport(tx, {
    job: { accountId, importUuid: snapshot.snapshot_uuid },
    row: {
      accepted_year: acceptedYear ?? integration.year,
      content_encoding: parseContentEncoding(snapshot.content_encoding),
      employees_total: snapshot.employees_total,
      deletes_allowed: false,
      content_digest: null,
    },
    integration,
    state,
    pool,
    progress: (phase, done, total) => {
      signal.throwIfAborted();
      // Sent without waiting for delivery: it fails when the caller has left, which `signal` tells.
      void send({ progress: { state: '', phase, done, total } }).catch(() => undefined);
    },
  });
}

function outcomeOf(outcome: ImportOutcome, employeesTotal: number): DryRunOutcome {
  const { state, counts, reasons, warnings = [], managed, deletionThreshold } = outcome;
  return {
    state,
    counts,
    reasons: [...reasons],
    warnings: [...warnings],
    cancel_reasons: reasons.map(({ code }) => code),
    managed,
    deletion_threshold: deletionThreshold,
    employees_total: employeesTotal,
  };
}

const BATCH_SIZE = 1_000;

/** Reads the outcomes of an import's records in body order, in constant memory. */
function readRecordResults(tx: Client, accountId: number, importUuid: string): AsyncGenerator<ImportRecord[]> {
  const query = `
    select r.record_index as index, coalesce(r.import_id, '') as import_id, r.outcome, coalesce(r.changed_fields, '{}') as changed_fields,
      ${issuesOf('r.reasons', String(accountId))} as reasons, ${issuesOf('r.warnings', String(accountId))} as warnings,
      (select concat_ws(' ', e.firstname, e.lastname) from imports.employee e
       where e.account_id = ${accountId} and e.import_id = r.import_id and e.created_via = 'import_api') as name
    from imports.record_result r where r.account_id = ${accountId} and r.import_uuid = ${escapeLiteral(importUuid)}
    order by r.record_index`;
  return readBatches(tx, query, BATCH_SIZE);
}

const LOOK_INTERVAL_MS = 300;

interface CancellationWatch extends AsyncDisposable {
  // Whether the transaction was ended because of an import.
  readonly wasCancelled: () => boolean;
}

/**
 * Ends the transaction of `tx`, even within a statement, as soon as an import of the account is
 * accepted. Dispose of the watch before releasing `tx`: another caller may get its connection.
 */
async function cancelWhenImportAccepted(pool: Pool, tx: Client, accountId: number): Promise<CancellationWatch> {
  const { rows } = await tx.query<{ backend: number }>('select pg_backend_pid() as backend');
  const backend = rows[0]?.backend ?? 0;
  let ended = false;
  const look = async (): Promise<void> => {
    if (!ended) ended = await endIfImportRuns(pool, accountId, backend);
  };
  // While the database is unavailable or has no free connection, the next check follows soon.
  const looking = repeat(LOOK_INTERVAL_MS, look);
  return { wasCancelled: () => ended, [Symbol.asyncDispose]: () => looking[Symbol.asyncDispose]() };
}

// Terminates the backend if an import of the account is pending. Returns whether it did.
async function endIfImportRuns(pool: Pool, accountId: number, backend: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    if (!(await isImportRunning(tx, accountId))) return false;
    await tx.query('select pg_terminate_backend($1::integer)', [backend]);
    return true;
  });
}
