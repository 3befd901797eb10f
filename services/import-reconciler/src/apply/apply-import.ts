import { importReason, type ImportReason } from '@survey/formats/import-reasons.ts';
import { allowLongStatements, type Client, inAccount } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { contentSalt, createElementHasher } from '../snapshot/content-hash.ts';
import { digestEmployees, loadKnownEmployees } from '../snapshot/known-employees.ts';
import type { AccountState } from '../tables/account-lock.ts';
import { endInvitationsWith } from '../tables/invitations.ts';
import { saveDictionary } from '../tables/stored-dictionary.ts';
import { decideImport } from './import-decision.ts';
import { type Counts, type ImportOutcome, ZERO_COUNTS } from './import-outcome.ts';
import {
  hasAdmin,
  judgeIdentities,
  noteAlikeValues,
  noteLostAdmins,
  noteRemarkableRecords,
  noteUnmatchedGrants,
} from './import-warnings.ts';
import { dropUnusedNames } from './new-names.ts';
import { offboard, saveOffboarded } from './offboard.ts';
import { type ImportJob, type ImportToApply, planSnapshot, type SnapshotPlan } from './plan-snapshot.ts';
import { RESOLVED, resolveGrants, resolvePlan } from './resolve-plan.ts';
import { closeGaps, nameHolders, skipTakenEmails } from './skip-taken-emails.ts';
import { noteCycles, positionsOnCycles, readSupervisorPositions } from './supervisor-edges.ts';
import { analyze, openWorkingTables } from './working-tables.ts';

const REPEATED_LISTED = 11;

/**
 * Reads the snapshot, decides on it, and applies the import or cancels it. Writes only employees,
 * their dictionary and results.
 */
export async function applyImport(tx: Client, input: ImportToApply): Promise<ImportOutcome> {
  const { job, row, integration, state, pool, progress, clock } = input;
  const hasher = await createElementHasher(contentSalt(state.hash_salt, row.accepted_year, integration.default_language));
  const deletionThreshold = integration.deletion_threshold;
  // Fast path: most imports change nothing. The body is not read again.
  if (row.content_digest !== null && row.content_digest.equals(await digestEmployees(tx, job.accountId, hasher))) {
    const counts = { ...ZERO_COUNTS, unchanged: row.employees_total };
    return { state: 'applied', counts, reasons: [], managed: row.employees_total, deletionThreshold };
  }
  const knownEmployees = await loadKnownEmployees(tx, job.accountId, state.employees);
  const plan = await inAccount(pool, job.accountId, (reader) => planSnapshot(tx, reader, { ...input, knownEmployees, hasher }));
  knownEmployees.hashes.free();
  await failpoint('import.loaded');
  const repeatedNewIds = plan.newEmployees > 1 ? await repeatedNewImportIds(tx, REPEATED_LISTED) : [];
  const managed = knownEmployees.managed.length;
  const toOffboard = Array.from(knownEmployees.managed.filter((position) => plan.recordIndexByPosition[position] === 0));
  const { warnings, doubtfulRecords } =
    plan.planned > 0 ? await judgeIdentities(tx, job.accountId, toOffboard) : { warnings: [], doubtfulRecords: 0 };
  const { reasons, exceedsThresholdOnly } = decideImport({
    plan,
    toOffboard: toOffboard.length,
    doubtfulRecords,
    repeatedNewIds,
    managed,
    integration,
    deletesAllowed: row.deletes_allowed,
  });
  await failpoint('import.decided');
  clock?.enter('apply');
  if (reasons.length > 0) await plan.undo();
  const decidedBy = { managed, deletionThreshold };
  // They are also saved if somebody may still allow the import, because that decision depends on
  // who would be offboarded.
  const offboardedIds = reasons.length === 0 || exceedsThresholdOnly ? await saveOffboarded(tx, job, toOffboard) : [];
  if (reasons.length > 0) {
    return {
      state: 'cancelled',
      counts: ZERO_COUNTS,
      reasons,
      warnings,
      cancelledForDeletes: exceedsThresholdOnly,
      ...decidedBy,
    };
  }

  progress('applying', 0, row.employees_total);
  const { outcomes, lostAdmins } =
    plan.planned + toOffboard.length > 0
      ? await endInvitationsWith(tx, job.accountId, () => applyPlan(tx, job, state, plan, offboardedIds))
      : { outcomes: {}, lostAdmins: [] };
  progress('applying', row.employees_total, row.employees_total);
  return {
    state: 'applied',
    counts: countsOf(outcomes, plan.records, toOffboard.length),
    reasons: [],
    warnings: [...warnings, ...lostAdmins],
    ...decidedBy,
  };
}

interface Applied {
  readonly outcomes: Outcomes;
  // The warning that the account has no Admin any more.
  readonly lostAdmins: readonly ImportReason[];
}

// The order matters: offboarded employees free their addresses and supervise no employee; grants
// may name objects from the same snapshot.
async function applyPlan(
  tx: Client,
  { accountId, importUuid }: ImportJob,
  state: AccountState,
  plan: SnapshotPlan,
  offboardedIds: readonly number[],
): Promise<Applied> {
  if (plan.planned === 0) await openWorkingTables(tx);
  const hadAdmin = await hasAdmin(tx, accountId);
  const rejected = plan.movesEmails ? await skipTakenEmails(tx, accountId, offboardedIds, plan.records) : 0;
  if (rejected > 0) {
    await closeGaps(tx, state.employees + 1, state.next_employee_id);
    await nameHolders(tx);
  }
  await failpoint('apply.emails_resolved');
  if (plan.dictionary !== undefined) await saveDictionary(tx, accountId, plan.dictionary);
  if (plan.dictionary !== undefined && rejected > 0) await dropUnusedNames(tx, accountId, plan.dictionary, state);
  await failpoint('apply.dictionary_saved');
  await offboard(tx, accountId, offboardedIds, plan.recordIndexByPosition);
  await failpoint('apply.offboarded');
  if (plan.hasGrants) await resolveGrants(tx, accountId);
  if (plan.planned > 0) await noteRemarkableRecords(tx);
  if (plan.dictionary !== undefined) await noteAlikeValues(tx, accountId, state.next_option_id, plan.dictionary.next.optionId);
  await analyze(tx, plan.planned, 'added_issue');
  const { mayHaveCycles } = await resolvePlan(tx, accountId);
  await failpoint('apply.resolved');
  if (plan.planned > plan.newEmployees) await updateEmployees(tx, accountId);
  await failpoint('apply.updated');
  const created = plan.newEmployees > 0 ? await insertEmployees(tx, accountId) : 0;
  await countEmployees(tx, accountId, state.next_employee_id, created);
  if (mayHaveCycles) await warnAboutSupervisorCycles(tx, accountId, state.employees + created, plan.recordIndexByPosition);
  await noteUnmatchedGrants(tx, accountId, plan.recordIndexByPosition);
  const hasLostAdmins = hadAdmin && !(await hasAdmin(tx, accountId));
  if (hasLostAdmins) await noteLostAdmins(tx);
  await failpoint('apply.written');
  const outcomes = await saveResults(tx, accountId, importUuid);
  await failpoint('apply.results_saved');
  return { outcomes, lostAdmins: hasLostAdmins ? [importReason('last_admin_lost')] : [] };
}

async function warnAboutSupervisorCycles(
  tx: Client,
  accountId: number,
  employees: number,
  recordIndexByPosition: Int32Array,
): Promise<void> {
  const positions = positionsOnCycles(await readSupervisorPositions(tx, accountId, employees));
  if (positions.length === 0) return;
  const indexes = positions.map((position) => (recordIndexByPosition[position] ?? 0) - 1);
  await noteCycles(tx, accountId, positions, indexes);
}

function countsOf(outcomes: Outcomes, records: number, offboarded: number): Counts {
  const { created = 0, updated = 0, reactivated = 0, skipped = 0 } = outcomes;
  return { created, updated, reactivated, skipped, offboarded, unchanged: records - created - updated - reactivated - skipped };
}

/**
 * Returns at most `limit` import_ids that several new employees share. Comparing records with
 * stored employees does not find these.
 */
async function repeatedNewImportIds(tx: Client, limit: number): Promise<{ first: number; second: number }[]> {
  const { rows } = await tx.query<{ first: number; second: number }>(
    `select min(index) as first, max(index) as second
     from planned where is_new group by import_id having count(*) > 1
     order by first limit $1`,
    [limit],
  );
  return rows;
}

type Outcome = 'created' | 'updated' | 'unchanged' | 'reactivated' | 'skipped';
/** Number of records by outcome. */
type Outcomes = Partial<Record<Outcome, number>>;

/**
 * Stores the outcome of each record, except unchanged ones without warnings, and counts them by
 * outcome.
 */
async function saveResults(tx: Client, accountId: number, importUuid: string): Promise<Outcomes> {
  const { rows } = await tx.query<{ outcome: Outcome; count: number }>(
    `with saved as (
       insert into imports.record_result (account_id, import_uuid, record_index, import_id, outcome, reasons, warnings, changed_fields)
       with said as (
         select index, jsonb_agg(said) filter (where is_reason) as reasons, jsonb_agg(said) filter (where not is_reason) as warnings
         from added_issue, lateral (select jsonb_build_object('pointer', pointer, 'code', code) || coalesce(about, '{}') as said) s
         group by index
       ), outcome as (
         select p.index, case when p.reasons::jsonb @> '[{"code": "erased"}]' then null else p.import_id end as import_id,
                case when p.skipped then 'skipped' when p.is_new then 'created' when p.was_deleted then 'reactivated'
                     when cardinality(s.all_changed) > 0 then 'updated' else 'unchanged' end as outcome,
                case when p.reasons is null and n.index is null then '[]'
                     else coalesce(p.reasons::jsonb, '[]') || coalesce(n.reasons, '[]') end as reasons,
                case when p.skipped or p.warnings is null and n.index is null then '[]'
                     else coalesce(p.warnings::jsonb, '[]') || coalesce(n.warnings, '[]') end as warnings,
                case when not p.skipped then nullif(s.all_changed, '{}') end as changed_fields
         from planned p left join said n on n.index = p.index
         left join (select index, all_changed from ${RESOLVED} where not is_new) s on s.index = p.index
         union all
         select b.index, b.import_id, case when b.is_changed then 'updated' else 'unchanged' end, '[]', n.warnings,
                case when b.is_changed then '{supervisor}'::text[] end
         from affected_record b
         join said n on n.index = b.index
       )
       select $1, $2, index, import_id, outcome, reasons, warnings, changed_fields from outcome
       where outcome <> 'unchanged' or warnings <> '[]'
       returning outcome
     )
     select outcome, count(*) as count from saved group by outcome`,
    [accountId, importUuid],
  );
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
}

const MAX_STATEMENT_MS = 15 * 60_000;

/**
 * Sets the limits and planner options of a transaction that may take minutes, such as an import.
 * PostgreSQL ends the transaction of a paused worker after IDLE_IN_TRANSACTION_TIMEOUT_SECONDS.
 */
export async function prepareTransaction(tx: Client): Promise<void> {
  await allowLongStatements(tx, MAX_STATEMENT_MS, {
    // Working tables have no statistics until they are analyzed; nested loops could run forever.
    enable_nestloop: 'off',
    // A sample of 3,000 rows suffices; the default of 30,000 takes 10 % of a first import.
    default_statistics_target: '10',
    work_mem: '64MB',
  });
}

const MAX_LOOKED_UP = 50_000;

/** Writes existing employees that change, or get the content hash of their record. */
async function updateEmployees(tx: Client, accountId: number): Promise<void> {
  // Passes the ids as a value: PostgreSQL then uses the index for few changes in a large account,
  // or else a hash of the ids in one pass. With array(select …), that pass compares every employee
  // with every id. Above the limit, a lookup by id does not pay off.
  const { rows } = await tx.query<{ ids: string | null }>(
    `select case when count(*) <= ${MAX_LOOKED_UP} then array_agg(employee_id)::text end as ids from planned where not is_new`,
  );
  await tx.query(
    `update imports.employee e
     set email = p.email, email_key = p.email_key, is_deleted = false, offboarded_at = null, firstname = p.firstname, lastname = p.lastname,
         language = p.language, role = p.role, option_ids = p.option_ids, supervisor_id = p.new_supervisor_id,
         all_data = p.all_data, granted_option_ids = p.granted_option_ids, content_hash = p.new_hash,
         sends_supervisor = p.sends_supervisor
     from (select * from ${RESOLVED} where not is_new and not skipped) p
     where e.account_id = $1 and e.id = p.employee_id and ($2::bigint[] is null or e.id = any($2::bigint[]))
       and (p.was_deleted or cardinality(p.all_changed) > 0 or e.content_hash is distinct from p.new_hash
         or e.sends_supervisor <> p.sends_supervisor)`,
    [accountId, rows[0]?.ids],
  );
}

/**
 * Writes the new employees and returns their number. Conflicts are already resolved: a plain insert
 * costs half as much as one that checks for them again.
 */
async function insertEmployees(tx: Client, accountId: number): Promise<number> {
  const { rows } = await tx.query<{ inserted: number }>(
    `with inserted as (
     insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, firstname, lastname, language,
       role, option_ids, supervisor_id, all_data, granted_option_ids, content_hash, sends_supervisor)
     select $1::bigint, employee_id, position, 'import_api', import_id, email, email_key, firstname, lastname, language,
       role, option_ids, new_supervisor_id, all_data, granted_option_ids, new_hash, sends_supervisor
     from ${RESOLVED}
     where is_new and not skipped
     returning 1
     )
     select count(*) as inserted from inserted`,
    [accountId],
  );
  return rows[0]?.inserted ?? 0;
}

/**
 * Counts new employees with consecutive ids, for the account and for the blocks of its list
 * (imports.employee_block).
 */
async function countEmployees(tx: Client, accountId: number, firstId: number, created: number): Promise<void> {
  if (created === 0) return;
  await tx.query(
    `with grown as (
       update imports.account_state set employees = employees + $3::int, next_employee_id = next_employee_id + $3::int where account_id = $1
     )
     insert into imports.employee_block (account_id, level, block, row_count)
     select $1, level, block, least($2::bigint + $3::int, (block + 1) << bits) - greatest($2::bigint, block << bits)
     from (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
     cross join generate_series($2::bigint >> bits, ($2::bigint + $3::int - 1) >> bits) as block
     on conflict (account_id, level, block) do update set row_count = employee_block.row_count + excluded.row_count`,
    [accountId, firstId, created],
  );
}
