import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { step } from '@survey/process/step.ts';
import { contentSalt } from '../rules/content-salt.ts';
import { positionsOnCycles } from '../rules/cycles.ts';
import { createElementHasher } from '../snapshot/hash.ts';
import type { AccountState } from '../sql/account-state.ts';
import { countEmployees, insertEmployees, updateEmployees } from '../sql/apply-plan.ts';
import { saveDictionary } from '../sql/dictionary.ts';
import { NO_COUNTS, type Counts, type Ending, type ImportRow } from '../sql/import-row.ts';
import type { Integration } from '../sql/integration.ts';
import { loadKnownEmployees, type KnownEmployees } from '../sql/known-employees.ts';
import { saveLeaving } from '../sql/leaving.ts';
import { offboard } from '../sql/offboard.ts';
import { readPieces } from '../sql/payload.ts';
import { repeatedNewImportIds } from '../sql/repeated-import-ids.ts';
import { resolveGrants } from '../sql/resolve-grants.ts';
import { saveResults, type Outcomes } from '../sql/save-results.ts';
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

/** Reads the snapshot, judges it, and applies it to the account or cancels it. Writes nothing but employees, their dictionary and results. */
export async function applyImport(tx: Client, todo: ImportToApply): Promise<Ending> {
  const { job, row, integration, progress } = todo;
  const known = await loadKnownEmployees(tx, job.accountId, todo.state.employees);
  const plan = await readPlan(tx, todo, known);
  known.hashes.free();
  await step('import.loaded');
  const repeatedNew = plan.newcomers > 1 ? await repeatedNewImportIds(tx, REPEATED_LISTED) : [];
  const { managed } = known;
  const { leaving, reasons, isForDeletes } = judge({
    plan,
    repeatedNew,
    managed,
    integration,
    deletesAllowed: row.deletes_allowed,
  });
  await step('import.judged');
  const judged = { managed: managed.length, deletionThreshold: integration.deletion_threshold };
  // Also of an import that an admin may still allow: who would leave is what that decision rests on.
  if (reasons.length === 0 || isForDeletes) await saveLeaving(tx, job, leaving);
  if (reasons.length > 0) {
    return { state: 'cancelled', counts: NO_COUNTS, cancelReasons: reasons, cancelledForDeletes: isForDeletes, ...judged };
  }

  progress('applying', 0, row.employees_total);
  // Most nights nobody has changed, and nobody leaves.
  const outcomes = plan.planned + leaving.length > 0 ? await applyPlan(tx, job, todo.state, plan, leaving) : {};
  progress('applying', row.employees_total, row.employees_total);
  return { state: 'applied', counts: countsOf(outcomes, plan.records, leaving.length), cancelReasons: [], ...judged };
}

async function readPlan(
  tx: Client,
  { job, row, integration, state, pool, progress }: ImportToApply,
  known: KnownEmployees,
): Promise<SnapshotPlan> {
  const { accountId, importUuid } = job;
  const hasher = await createElementHasher(contentSalt(state.hash_salt, row.accepted_year, integration.default_language));
  await openWorkingTables(tx);
  return inAccount(pool, accountId, (reader) =>
    planSnapshot(tx, reader, {
      accountId,
      state,
      known,
      acceptedYear: row.accepted_year,
      defaultLanguage: integration.default_language,
      encoding: row.content_encoding,
      pieces: readPieces(reader, accountId, importUuid),
      hasher,
      progress: (records) => progress('reading', records, row.employees_total),
    }),
  );
}

// The order matters: who leaves frees an address and is nobody's supervisor; grants may name what the same snapshot creates.
async function applyPlan(
  tx: Client,
  { accountId, importUuid }: ImportJob,
  state: AccountState,
  plan: SnapshotPlan,
  leaving: readonly number[],
): Promise<Outcomes> {
  const refused = await skipTakenEmails(tx, accountId, leaving);
  for (const { index, option_ids } of refused) plan.dictionary?.unuse(option_ids, index);
  if (refused.length > 0) await closeGaps(tx, state.employees + 1, state.next_employee_id);
  await step('apply.addresses_settled');
  if (plan.dictionary !== undefined) await saveDictionary(tx, accountId, plan.dictionary);
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
  await step('apply.written');
  const outcomes = await saveResults(tx, accountId, importUuid);
  await step('apply.results_saved');
  return outcomes;
}

async function warnOfCycles(tx: Client, accountId: number, employees: number, seenAt: Int32Array): Promise<void> {
  const positions = positionsOnCycles(await supervisorEdges(tx, accountId, employees));
  if (positions.length === 0) return;
  const indexes = positions.map((position) => (seenAt[position] ?? 0) - 1);
  await noteCycles(tx, accountId, positions, indexes);
}

function countsOf(outcomes: Outcomes, records: number, offboarded: number): Counts {
  const { created = 0, updated = 0, reactivated = 0, skipped = 0 } = outcomes;
  return { created, updated, reactivated, skipped, offboarded, unchanged: records - created - updated - reactivated - skipped };
}
