import { enqueue } from '@survey/bus/outbox.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { Log } from '@survey/process/log.ts';
import { ImportEvent } from '@survey/rpc/gen/survey/events/v1/events.ts';
import { contentSalt } from '../rules/content-salt.ts';
import { createElementHasher } from '../snapshot/hash.ts';
import { lockAccountState, type AccountState } from '../sql/account-state.ts';
import { insertEmployees, settlePlan, updateEmployees } from '../sql/apply-plan.ts';
import { loadDictionary, saveDictionary } from '../sql/dictionary.ts';
import {
  claimImport,
  countAttempt,
  finishImport,
  NO_COUNTS,
  type Counts,
  type Ending,
  type ImportRow,
} from '../sql/import-row.ts';
import { readIntegration, type Integration } from '../sql/integration.ts';
import { loadKnownEmployees } from '../sql/known-employees.ts';
import { noteKnownEmails, offboard, releaseReports, saveReleased } from '../sql/offboard.ts';
import { readPieces } from '../sql/payload.ts';
import { createPlannedTables } from '../sql/planned.ts';
import { repeatedNewImportIds } from '../sql/repeated-import-ids.ts';
import { resolveReferences } from '../sql/resolve-references.ts';
import { saveResults } from '../sql/save-results.ts';
import { closeGaps, skipTakenEmails } from '../sql/settle-emails.ts';
import { planSnapshot } from './plan-snapshot.ts';
import { judge } from './verdict.ts';

export interface ImportJob {
  accountId: number;
  importUuid: string;
}

export interface Reconciling {
  pool: Pool;
  log: Log;
  progress: (phase: string, done: number, total: number) => void;
}

// An import that kills its worker so often is given up: nothing changed, and the account may import again.
const MOST_ATTEMPTS = 5;
const REPEATED_LISTED = 11;

/**
 * Applies an accepted import, or cancels it, in one transaction: readers see everything of it or nothing (rulings, first further
 * ruling). Running it twice does nothing the second time; a crash anywhere leaves nothing behind (reliability.md, section 2).
 * Answers with how the import ended, or undefined when it is over already or another worker holds it.
 */
export async function reconcileImport(job: ImportJob, { pool, log, progress }: Reconciling): Promise<Ending | undefined> {
  const attempts = await inAccount(pool, job.accountId, (tx) => countAttempt(tx, job.accountId, job.importUuid));
  if (attempts === undefined) return undefined;
  return inAccount(pool, job.accountId, async (tx) => {
    await setTimeouts(tx);
    const row = await claimImport(tx, job.accountId, job.importUuid);
    if (row === undefined) return undefined;
    const ending = attempts > MOST_ATTEMPTS ? givenUp(attempts) : await conclude(tx, job, row, { pool, log, progress });
    await finishImport(tx, job.accountId, job.importUuid, ending);
    await announce(tx, job, ending);
    return ending;
  });
}

// One import may take minutes; a worker that is paused must not hold its locks for longer.
async function setTimeouts(tx: Client): Promise<void> {
  await tx.query("set local statement_timeout = '15min'; set local idle_in_transaction_session_timeout = '60s'");
  // Temporary tables have no statistics until they are analyzed, and a nested loop over them may run for ever.
  await tx.query("set local enable_nestloop = off; set local work_mem = '64MB'");
}

function givenUp(attempts: number): Ending {
  return { state: 'failed', counts: NO_COUNTS, cancelReasons: [`given up after ${attempts - 1} attempts`] };
}

async function conclude(tx: Client, job: ImportJob, row: ImportRow, tools: Reconciling): Promise<Ending> {
  // Whoever holds the account is waited for first: what counts is how things stand when the import is applied (rulings P19, J21).
  const state = await lockAccountState(tx, job.accountId);
  const integration = await readIntegration(tx, job.accountId);
  if (integration === undefined) {
    return {
      state: 'cancelled',
      counts: NO_COUNTS,
      cancelReasons: ['the REST API integration was disconnected before the import ran'],
    };
  }
  return apply(tx, job, row, { state, integration }, tools);
}

interface Account {
  state: AccountState;
  integration: Integration;
}

async function apply(
  tx: Client,
  job: ImportJob,
  row: ImportRow,
  { state, integration }: Account,
  tools: Reconciling,
): Promise<Ending> {
  const { accountId } = job;
  const known = await loadKnownEmployees(tx, accountId, state.employees);
  const dictionary = await loadDictionary(tx, accountId, state);
  const hasher = await createElementHasher(contentSalt(state.hash_salt, row.accepted_year, integration.default_language));
  await createPlannedTables(tx);
  const plan = await inAccount(tools.pool, accountId, (reader) =>
    planSnapshot(tx, reader, {
      accountId,
      acceptedYear: row.accepted_year,
      defaultLanguage: integration.default_language,
      encoding: row.content_encoding,
      pieces: readPieces(reader, accountId, job.importUuid),
      state,
      known,
      dictionary,
      hasher,
      progress: (records) => tools.progress('reading', records, row.employees_total),
    }),
  );
  const repeatedNew = await repeatedNewImportIds(tx, REPEATED_LISTED);
  const { leaving, reasons } = judge({
    plan,
    repeatedNew,
    managed: known.managed,
    integration,
    deletesAllowed: row.deletes_allowed,
  });
  const judged = { managed: known.managed.length, deletionThreshold: integration.deletion_threshold };
  if (reasons.length > 0) return { state: 'cancelled', counts: NO_COUNTS, cancelReasons: reasons, ...judged };

  tools.progress('applying', 0, row.employees_total);
  const refused = await skipTakenEmails(tx, accountId, leaving);
  for (const options of refused) dictionary.use(options, -1);
  if (refused.length > 0) await closeGaps(tx, state.employees + 1, state.next_employee_id);
  await saveDictionary(tx, accountId, dictionary);
  await leave(tx, accountId, leaving, plan.seenAt);
  await resolveReferences(tx, accountId);
  await settlePlan(tx, accountId);
  await updateEmployees(tx, accountId);
  await insertEmployees(tx, accountId);
  const outcomes = await saveResults(tx, accountId, job.importUuid);
  tools.progress('applying', row.employees_total, row.employees_total);
  return { state: 'applied', counts: countsOf(outcomes, plan.records, leaving.length), cancelReasons: [], ...judged };
}

async function leave(tx: Client, accountId: number, leaving: readonly number[], seenAt: Int32Array): Promise<void> {
  let released: number[] = [];
  if (leaving.length > 0) {
    await noteKnownEmails(tx, accountId, leaving);
    await offboard(tx, accountId, leaving);
    released = await releaseReports(tx, accountId, leaving);
  }
  await saveReleased(
    tx,
    released,
    released.map((position) => (seenAt[position] ?? 0) - 1),
  );
}

function countsOf(outcomes: Partial<Record<keyof Counts, number>>, records: number, offboarded: number): Counts {
  const { created = 0, updated = 0, reactivated = 0, skipped = 0 } = outcomes;
  return { created, updated, reactivated, skipped, offboarded, unchanged: records - created - updated - reactivated - skipped };
}

async function announce(tx: Client, { accountId, importUuid }: ImportJob, { state, counts }: Ending): Promise<void> {
  const event = ImportEvent.encode({ account_id: accountId, import_uuid: importUuid, state, counts }).finish();
  await enqueue(tx, 'imports', [{ accountId, subject: `events.import.${state}`, payload: event }]);
}
