import { setImmediate } from 'node:timers/promises';
import { isBlank } from '@survey/formats/is-blank.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { findErased, hasErasedEmployees } from '../erasure/find-erased.ts';
import { countedIds } from '../rules/dictionary-ids.ts';
import type { Dictionary } from '../rules/dictionary.ts';
import { erasedIssue, interpretRecord, tooManyValues, type Intent } from '../rules/interpret-record.ts';
import { planEmployee, type CurrentEmployee } from '../rules/plan-employee.ts';
import { NO_LIMITS } from '../snapshot/body-bytes.ts';
import type { ElementHasher } from '../snapshot/content-hash.ts';
import type { KnownEmployees } from '../snapshot/known-employees.ts';
import { readSnapshot, type UnknownEmployee } from '../snapshot/read-snapshot.ts';
import type { AccountState } from '../tables/account-lock.ts';
import { readChunks } from '../tables/stored-body.ts';
import { loadDictionary, lookUp, MAX_IN_MEMORY } from '../tables/stored-dictionary.ts';
import type { Integration } from './connected-integration.ts';
import { currentEmployee, currentEmployees } from './current-employees.ts';
import type { PhaseClock } from './import-phases.ts';
import { saveNames } from './new-names.ts';
import { openWorkingTables, PlannedWriter } from './working-tables.ts';

/** Values of an employee: more than fit into a record, because those that it omits are kept. */
export const MAX_VALUES = 250_000;

// Records planned per event-loop turn: about 1 ms of work.
const RECORDS_PER_TICK = 50;

export interface ImportJob {
  accountId: number;
  importUuid: string;
}

export interface ImportRow {
  accepted_year: number;
  content_encoding: 'gzip' | 'identity';
  employees_total: number;
  deletes_allowed: boolean;
  // ContentDigest of the records; null unless all of them were known when it was accepted.
  content_digest: Buffer | null;
}

export interface ImportToApply {
  job: ImportJob;
  row: ImportRow;
  integration: Integration;
  // State of the account, locked by this transaction.
  state: AccountState;
  pool: Pool;
  // Called periodically with the number of records.
  progress: (phase: string, done: number, total: number) => void;
  // Measures its phases; absent for a dry run.
  clock?: PhaseClock;
}

interface SnapshotToPlan extends ImportToApply {
  knownEmployees: KnownEmployees;
  hasher: ElementHasher;
}

/**
 * Reads the snapshot once, under the account's lock, and plans each changed or new record in
 * `planned`. `reader` is a second connection because `tx` is busy copying rows; the lock ensures
 * that both see the same employees.
 */
export async function planSnapshot(tx: Client, reader: Client, snapshot: SnapshotToPlan): Promise<SnapshotPlan> {
  const plan = new SnapshotPlan(tx, reader, snapshot);
  try {
    await plan.read();
    return plan;
  } catch (error) {
    await plan.abort();
    throw error;
  }
}

/** What planning a changed or new record needs. */
interface Planning {
  dictionary: Dictionary;
  writer: PlannedWriter;
  hasErased: boolean;
}

/** Result of one pass over the snapshot. Records that need work are rows of the table `planned`. */
export class SnapshotPlan {
  // Number of records in the snapshot.
  records = 0;
  // How many of the planned records are new employees, skipped ones included.
  newEmployees = 0;
  // Whether any of them gives an employee another address.
  movesEmails = false;
  // Whether any of them names grants that must be resolved.
  hasGrants = false;
  // By employee position: index of the record plus one; 0 for employees that the snapshot omits.
  readonly recordIndexByPosition: Int32Array;
  // Indexes of records with an empty import_id, and index pairs of records with the same one.
  readonly missingImportIds: number[] = [];
  readonly duplicateImportIds: { first: number; second: number }[] = [];
  readonly #tx: Client;
  readonly #reader: Client;
  readonly #snapshot: SnapshotToPlan;
  #nextId: number;
  #nextPosition: number;
  // Set at the first changed or new record; many imports have none.
  #planning: Planning | undefined;
  // Whether names were written while records were planned.
  #hasSavedNames = false;

  constructor(tx: Client, reader: Client, snapshot: SnapshotToPlan) {
    this.#tx = tx;
    this.#reader = reader;
    this.#snapshot = snapshot;
    this.#nextId = snapshot.state.next_employee_id;
    this.#nextPosition = snapshot.state.employees + 1;
    this.recordIndexByPosition = new Int32Array(snapshot.state.employees + 1);
  }

  /** Rows of `planned`: records whose bytes have changed or are new. */
  get planned(): number {
    return this.#planning?.writer.rows ?? 0;
  }

  /** Dictionary with the additions of these records; undefined without any. */
  get dictionary(): Dictionary | undefined {
    return this.#planning?.dictionary;
  }

  /** Plans the whole snapshot. */
  async read(): Promise<void> {
    const { job, row, hasher, knownEmployees } = this.#snapshot;
    const { employees, findings } = await readSnapshot(readChunks(this.#reader, job.accountId, job.importUuid), {
      encoding: row.content_encoding,
      hasher,
      knownHashes: knownEmployees.hashes,
      limits: NO_LIMITS,
      wasValidated: true,
      onKnown: (position, index) => this.#markSeen(position, index),
      onUnknown: (batch) => this.#plan(batch),
    });
    // The whole body was validated before it was accepted.
    if (findings[0] !== undefined) throw new Error(`cannot apply the accepted body: not valid at ${findings[0].pointer}`);
    this.records = employees;
    await this.#planning?.writer.end();
  }

  async abort(): Promise<void> {
    await this.#planning?.writer.abort();
  }

  /** Removes what planning has written, so that a cancelled import adds no name. */
  async undo(): Promise<void> {
    if (this.#hasSavedNames) await this.#tx.query('rollback to savepoint planned');
  }

  #markSeen(position: number, index: number): void {
    const before = this.recordIndexByPosition[position] ?? 0;
    if (before > 0) this.duplicateImportIds.push({ first: before - 1, second: index });
    else this.recordIndexByPosition[position] = index + 1;
  }

  async #plan(batch: readonly UnknownEmployee[]): Promise<void> {
    const { job, row, integration, progress } = this.#snapshot;
    const { accountId } = job;
    const planning = (this.#planning ??= await this.#openPlanning());
    const { dictionary, writer } = planning;
    const intents = await this.#interpret(batch, planning);
    const employees = await this.#currentOf(intents);
    if (dictionary.size > MAX_IN_MEMORY) await this.#emptyDictionary(planning);
    await this.#lookUpNames(planning, intents, employees.values());
    for (const [nth, { hash }] of batch.entries()) {
      if (nth % RECORDS_PER_TICK === 0) await setImmediate();
      let intent = intents[nth];
      if (intent === undefined) continue;
      const { index, importId } = intent;
      if (isBlank(importId)) {
        this.missingImportIds.push(index);
        continue;
      }
      const employee = employees.get(importId);
      const isLarge = employee === 'large';
      const current = isLarge ? await currentEmployee(this.#reader, accountId, importId) : employee;
      if (isLarge) await this.#lookUpNames(planning, [], [current]);
      if (current) this.#markSeen(current.position, index);
      else this.newEmployees += 1;
      let plan = planEmployee(intent, current, dictionary, integration);
      if (plan.optionIds.length > Math.max(MAX_VALUES, current?.option_ids.length ?? 0)) {
        intent = { ...intent, reasons: [tooManyValues(index)], attributes: [], derivedLike: [] };
        plan = planEmployee(intent, current, dictionary, integration);
      }
      const skipped = intent.reasons.length > 0;
      if (!skipped) dictionary.use(plan.optionIds);
      this.movesEmails ||= !skipped && plan.emailKey !== current?.email_key;
      this.hasGrants ||= plan.grants !== undefined;
      const { id: employeeId, position } =
        current ?? (skipped ? { id: 0, position: 0 } : { id: this.#nextId++, position: this.#nextPosition++ });
      writer.add({ intent, plan, current, employeeId, position, hash });
    }
    await writer.flush();
    await failpoint('import.loading');
    progress('reading', (batch.at(-1)?.index ?? 0) + 1, row.employees_total);
  }

  // A skipped record creates no names.
  async #interpret(batch: readonly UnknownEmployee[], { hasErased }: Planning): Promise<Intent[]> {
    const { job, row } = this.#snapshot;
    const identities = batch.map(({ record: { import_id: importId, email } }) => ({ importId, email }));
    const erased = hasErased ? await findErased(this.#reader, job.accountId, identities) : new Map<number, never>();
    return batch.map(({ index, record }, nth) => {
      const intent = interpretRecord(record, index, row.accepted_year);
      const erasedBy = erased.get(nth);
      const reasons = erasedBy === undefined ? intent.reasons : [...intent.reasons, erasedIssue(index, erasedBy)];
      return reasons.length === 0 ? intent : { ...intent, reasons, attributes: [], derivedLike: [] };
    });
  }

  async #currentOf(intents: readonly Intent[]): Promise<Map<string, CurrentEmployee | 'large'>> {
    const { job, state } = this.#snapshot;
    if (state.employees === 0) return new Map();
    return currentEmployees(
      this.#reader,
      job.accountId,
      intents.map(({ importId }) => importId),
    );
  }

  // Uses the import's transaction, which already has the names of earlier records.
  async #lookUpNames(
    { dictionary, writer }: Planning,
    intents: readonly Intent[],
    employees: Iterable<CurrentEmployee | 'large' | undefined>,
  ): Promise<void> {
    const optionIds = [...employees].flatMap((employee) =>
      employee === undefined || employee === 'large' ? [] : employee.option_ids,
    );
    const names = intents.flatMap(({ attributes }) => attributes);
    const missing = dictionary.unknownOf(names, optionIds);
    if (missing === undefined) return;
    await writer.pause();
    await lookUp(this.#tx, this.#snapshot.job.accountId, dictionary, missing);
  }

  // Never in the middle of a batch, whose names planning would then take for new ones.
  async #emptyDictionary({ dictionary, writer }: Planning): Promise<void> {
    await writer.pause();
    if (!this.#hasSavedNames) await this.#tx.query('savepoint planned');
    this.#hasSavedNames = true;
    await saveNames(this.#tx, this.#snapshot.job.accountId, dictionary);
    dictionary.clear();
  }

  async #openPlanning(): Promise<Planning> {
    const { job, state } = this.#snapshot;
    const ids = countedIds({ attributeId: state.next_attribute_id, optionId: state.next_option_id });
    const dictionary = await loadDictionary(this.#tx, job.accountId, ids);
    const hasErased = await hasErasedEmployees(this.#tx, job.accountId);
    await openWorkingTables(this.#tx);
    return { dictionary, hasErased, writer: new PlannedWriter(this.#tx) };
  }
}
