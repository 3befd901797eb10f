import { inAccount, type Client } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { contentSalt } from '../rules/content-salt.ts';
import { positionsOnCycles } from '../rules/supervisor-cycles.ts';
import { createElementHasher } from '../snapshot/element-hasher.ts';
import type { AccountState } from '../tables/account-lock.ts';
import { countEmployees, insertEmployees, updateEmployees } from './apply-plan.ts';
import { saveDictionary } from '../tables/stored-dictionary.ts';
import { ZERO_COUNTS, type Counts, type ImportOutcome } from '../tables/import-row.ts';
import { digestEmployees, loadKnownEmployees } from '../snapshot/known-employees.ts';
import { saveOffboarded } from './offboarded.ts';
import { offboard } from './offboard.ts';
import { repeatedNewImportIds } from './repeated-import-ids.ts';
import { resolveGrants } from './resolve-grants.ts';
import { saveResults, type Outcomes } from './save-results.ts';
import { closeGaps, skipTakenEmails } from './skip-taken-emails.ts';
import { resolvePlan } from './resolve-plan.ts';
import { noteCycles, supervisorEdges } from './supervisor-edges.ts';
import { analyze, openWorkingTables } from './working-tables.ts';
import { planSnapshot, type ImportJob, type ImportToApply, type SnapshotPlan } from './plan-snapshot.ts';
import { decideImport } from './import-decision.ts';

const REPEATED_LISTED = 11;

/**
 * Reads the snapshot, decides on it, and applies the import or cancels it. Writes only employees,
 * their dictionary and results.
 */
export async function applyImport(tx: Client, input: ImportToApply): Promise<ImportOutcome> {
  const { job, row, integration, state, pool, progress } = input;
  const hasher = await createElementHasher(contentSalt(state.hash_salt, row.accepted_year, integration.default_language));
  const deletionThreshold = integration.deletion_threshold;
  // Fast path: most imports change nothing. The body is not read again.
  if (row.content_digest !== null && row.content_digest.equals(await digestEmployees(tx, job.accountId, hasher))) {
    const counts = { ...ZERO_COUNTS, unchanged: row.employees_total };
    return { state: 'applied', counts, cancelReasons: [], managed: row.employees_total, deletionThreshold };
  }
  const known = await loadKnownEmployees(tx, job.accountId, state.employees);
  const plan = await inAccount(pool, job.accountId, (reader) => planSnapshot(tx, reader, { ...input, known, hasher }));
  known.hashes.free();
  await failpoint('import.loaded');
  const repeatedNew = plan.newEmployees > 1 ? await repeatedNewImportIds(tx, REPEATED_LISTED) : [];
  const { managed } = known;
  const { toOffboard, reasons, exceedsThresholdOnly } = decideImport({
    plan,
    repeatedNew,
    managed,
    integration,
    deletesAllowed: row.deletes_allowed,
  });
  await failpoint('import.decided');
  const judged = { managed: managed.length, deletionThreshold };
  // Also saved when an admin may still allow the import: that decision depends on who would be
  // offboarded.
  const offboardedIds = reasons.length === 0 || exceedsThresholdOnly ? await saveOffboarded(tx, job, toOffboard) : [];
  if (reasons.length > 0) {
    return {
      state: 'cancelled',
      counts: ZERO_COUNTS,
      cancelReasons: reasons,
      cancelledForDeletes: exceedsThresholdOnly,
      ...judged,
    };
  }

  progress('applying', 0, row.employees_total);
  const outcomes = plan.planned + toOffboard.length > 0 ? await applyPlan(tx, job, state, plan, offboardedIds) : {};
  progress('applying', row.employees_total, row.employees_total);
  return { state: 'applied', counts: countsOf(outcomes, plan.records, toOffboard.length), cancelReasons: [], ...judged };
}

// The order matters: offboarded employees free their addresses and supervise no employee; grants
// may name objects from the same snapshot.
async function applyPlan(
  tx: Client,
  { accountId, importUuid }: ImportJob,
  state: AccountState,
  plan: SnapshotPlan,
  offboardedIds: readonly number[],
): Promise<Outcomes> {
  if (plan.planned === 0) await openWorkingTables(tx);
  const rejected = plan.movesEmails ? await skipTakenEmails(tx, accountId, offboardedIds) : [];
  for (const { index, option_ids } of rejected) plan.dictionary?.unuse(option_ids, index);
  if (rejected.length > 0) await closeGaps(tx, state.employees + 1, state.next_employee_id);
  await failpoint('apply.emails_resolved');
  if (plan.dictionary !== undefined) await saveDictionary(tx, accountId, plan.dictionary);
  await failpoint('apply.dictionary_saved');
  await offboard(tx, accountId, offboardedIds, plan.recordIndexByPosition);
  await failpoint('apply.offboarded');
  if (plan.hasGrants) await resolveGrants(tx, accountId);
  await analyze(tx, plan.planned, 'added_issue');
  const { mayHaveCycles } = await resolvePlan(tx, accountId);
  await failpoint('apply.resolved');
  if (plan.planned > plan.newEmployees) await updateEmployees(tx, accountId);
  await failpoint('apply.updated');
  const created = plan.newEmployees > 0 ? await insertEmployees(tx, accountId) : 0;
  await countEmployees(tx, accountId, state.next_employee_id, created);
  if (mayHaveCycles) await warnAboutSupervisorCycles(tx, accountId, state.employees + created, plan.recordIndexByPosition);
  await failpoint('apply.written');
  const outcomes = await saveResults(tx, accountId, importUuid);
  await failpoint('apply.results_saved');
  return outcomes;
}

async function warnAboutSupervisorCycles(tx: Client, accountId: number, employees: number, seenAt: Int32Array): Promise<void> {
  const positions = positionsOnCycles(await supervisorEdges(tx, accountId, employees));
  if (positions.length === 0) return;
  const indexes = positions.map((position) => (seenAt[position] ?? 0) - 1);
  await noteCycles(tx, accountId, positions, indexes);
}

function countsOf(outcomes: Outcomes, records: number, offboarded: number): Counts {
  const { created = 0, updated = 0, reactivated = 0, skipped = 0 } = outcomes;
  return { created, updated, reactivated, skipped, offboarded, unchanged: records - created - updated - reactivated - skipped };
}
