import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { step } from '@survey/process/step.ts';
import { contentSalt } from '../rules/content-salt.ts';
import { positionsOnCycles } from '../rules/cycles.ts';
import type { Dictionary } from '../rules/dictionary.ts';
import { countedIds } from '../rules/dictionary-ids.ts';
import { createElementHasher } from '../snapshot/hash.ts';
import type { AccountState } from '../sql/account-state.ts';
import { countEmployees, insertEmployees, updateEmployees } from '../sql/apply-plan.ts';
import { loadDictionary, saveDictionary } from '../sql/dictionary.ts';
import { NO_COUNTS, type Counts, type Ending, type ImportRow } from '../sql/import-row.ts';
import type { Integration } from '../sql/integration.ts';
import { loadKnownEmployees, type KnownEmployees } from '../sql/known-employees.ts';
import { offboard } from '../sql/offboard.ts';
import { readPieces } from '../sql/payload.ts';
import { repeatedNewImportIds } from '../sql/repeated-import-ids.ts';
import { resolveGrants } from '../sql/resolve-grants.ts';
import { saveResults } from '../sql/save-results.ts';
import { closeGaps, skipTakenEmails } from '../sql/settle-emails.ts';
import { settlePlan } from '../sql/settle-plan.ts';
import { noteCycles, supervisorEdges } from '../sql/supervisor-edges.ts';
import { analyze, openWorkingTables } from '../sql/working-tables.ts';
import { planSnapshot, type SnapshotPlan } from './plan-snapshot.ts';
import { judge } from './verdict.ts';

export interface ImportJob {
  accountId: number;
  importUuid: string;
}

export interface ImportToApply {
  job: ImportJob;
  row: ImportRow;
  integration: Integration;
  // Locked.
  state: AccountState;
  pool: Pool;
  progress: (phase: string, done: number, total: number) => void;
}

const REPEATED_LISTED = 11;

/** What an import finds and works out about its account, under the account's lock. */
interface Account {
  accountId: number;
  state: AccountState;
  known: KnownEmployees;
  dictionary: Dictionary;
}

/** Reads the snapshot, judges it, and applies it to the account or cancels it. Writes nothing but employees, their dictionary and results. */
export async function applyImport(tx: Client, todo: ImportToApply): Promise<Ending> {
  const { job, row, integration, progress } = todo;
  const account = await loadAccount(tx, job.accountId, todo.state);
  const plan = await readPlan(tx, todo, account);
  account.known.hashes.free();
  await step('import.loaded');
  const repeatedNew = plan.newcomers > 1 ? await repeatedNewImportIds(tx, REPEATED_LISTED) : [];
  const { managed } = account.known;
  const { leaving, reasons, isForDeletes } = judge({
    plan,
    repeatedNew,
    managed,
    integration,
    deletesAllowed: row.deletes_allowed,
  });
  await step('import.judged');
  const judged = { managed: managed.length, deletionThreshold: integration.deletion_threshold };
  if (reasons.length > 0) {
    return { state: 'cancelled', counts: NO_COUNTS, cancelReasons: reasons, cancelledForDeletes: isForDeletes, ...judged };
  }

  progress('applying', 0, row.employees_total);
  await applyPlan(tx, account, plan, leaving);
  await step('apply.written');
  const outcomes = await saveResults(tx, job.accountId, job.importUuid);
  await step('apply.results_saved');
  progress('applying', row.employees_total, row.employees_total);
  return { state: 'applied', counts: countsOf(outcomes, plan.records, leaving.length), cancelReasons: [], ...judged };
}

async function loadAccount(tx: Client, accountId: number, state: AccountState): Promise<Account> {
  const known = await loadKnownEmployees(tx, accountId, state.employees);
  const ids = countedIds({ attributeId: state.next_attribute_id, optionId: state.next_option_id });
  return { accountId, state, known, dictionary: await loadDictionary(tx, accountId, ids) };
}

async function readPlan(
  tx: Client,
  { job, row, integration, pool, progress }: ImportToApply,
  account: Account,
): Promise<SnapshotPlan> {
  const { accountId, state } = account;
  const hasher = await createElementHasher(contentSalt(state.hash_salt, row.accepted_year, integration.default_language));
  await openWorkingTables(tx);
  return inAccount(pool, accountId, (reader) =>
    planSnapshot(tx, reader, {
      ...account,
      acceptedYear: row.accepted_year,
      defaultLanguage: integration.default_language,
      encoding: row.content_encoding,
      pieces: readPieces(reader, accountId, job.importUuid),
      hasher,
      progress: (records) => progress('reading', records, row.employees_total),
    }),
  );
}

// The order matters: who leaves frees an address and is nobody's supervisor; grants may name what the same snapshot creates.
async function applyPlan(
  tx: Client,
  { accountId, state, dictionary }: Account,
  plan: SnapshotPlan,
  leaving: readonly number[],
): Promise<void> {
  const refused = await skipTakenEmails(tx, accountId, leaving);
  for (const options of refused) dictionary.use(options, -1);
  if (refused.length > 0) await closeGaps(tx, state.employees + 1, state.next_employee_id);
  await step('apply.addresses_settled');
  await saveDictionary(tx, accountId, dictionary);
  await step('apply.dictionary_saved');
  await offboard(tx, accountId, leaving, plan.seenAt);
  await step('apply.offboarded');
  if (plan.hasGrants) await resolveGrants(tx, accountId);
  await analyze(tx, plan.planned, 'note');
  const { mayHaveCycles } = await settlePlan(tx, accountId, plan.planned);
  await step('apply.settled');
  if (plan.planned > plan.newcomers) await updateEmployees(tx, accountId);
  await step('apply.updated');
  const created = plan.newcomers > 0 ? await insertEmployees(tx, accountId) : 0;
  await countEmployees(tx, accountId, state.next_employee_id, created);
  if (mayHaveCycles) await warnOfCycles(tx, accountId, state.employees + created, plan.seenAt);
}

async function warnOfCycles(tx: Client, accountId: number, employees: number, seenAt: Int32Array): Promise<void> {
  const positions = positionsOnCycles(await supervisorEdges(tx, accountId, employees));
  if (positions.length === 0) return;
  const indexes = positions.map((position) => (seenAt[position] ?? 0) - 1);
  await noteCycles(tx, accountId, positions, indexes);
}

function countsOf(outcomes: Partial<Record<keyof Counts, number>>, records: number, offboarded: number): Counts {
  const { created = 0, updated = 0, reactivated = 0, skipped = 0 } = outcomes;
  return { created, updated, reactivated, skipped, offboarded, unchanged: records - created - updated - reactivated - skipped };
}
