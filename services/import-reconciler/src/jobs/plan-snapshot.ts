import { setImmediate } from 'node:timers/promises';
import { PlannedWriter } from '../sql/planned.ts';
import type { Client } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { currentEmployee, currentEmployees } from '../sql/current-employees.ts';
import { openWorkingTables } from '../sql/working-tables.ts';
import { findErased, hasErasedEmployees } from '../sql/erased-employee.ts';
import { loadDictionary } from '../sql/dictionary.ts';
import type { KnownEmployees } from '../snapshot/known-employees.ts';
import type { AccountState } from '../sql/account-state.ts';
import type { Dictionary } from '../rules/dictionary.ts';
import { countedIds } from '../rules/dictionary-ids.ts';
import { erasedIssue, interpretRecord } from '../rules/interpret-record.ts';
import { planEmployee } from '../rules/plan-employee.ts';
import { NO_LIMITS } from '../snapshot/body-bytes.ts';
import type { ElementHasher } from '../snapshot/hash.ts';
import { readSnapshot, type UnknownEmployee } from '../snapshot/read-snapshot.ts';

// Records planned per event-loop turn: about 1 ms of work.
const RECORDS_PER_TICK = 50;

interface SnapshotToPlan {
  accountId: number;
  acceptedYear: number;
  defaultLanguage: string;
  encoding: 'gzip' | 'identity';
  pieces: AsyncIterable<Uint8Array>;
  state: AccountState;
  known: KnownEmployees;
  hasher: ElementHasher;
  // Called periodically with the number of records read.
  progress: (records: number) => void;
}

/** Result of one pass over the snapshot. Records that need work are rows of the table `planned`. */
export interface SnapshotPlan {
  // Number of records in the snapshot.
  records: number;
  // Rows of `planned`: records whose bytes have changed or are new.
  planned: number;
  // Dictionary with the additions of these records; undefined without any.
  dictionary: Dictionary | undefined;
  // How many of them are new employees, skipped ones included.
  newEmployees: number;
  // Whether any of them gives an employee another address.
  movesEmails: boolean;
  // Whether any of them names grants that must be resolved.
  hasGrants: boolean;
  // By employee position: index of the record plus one; 0 for employees that the snapshot omits.
  recordIndexByPosition: Int32Array;
  // Indexes of records with an empty import_id, and index pairs of records with the same one.
  missingImportIds: number[];
  duplicateImportIds: { first: number; second: number }[];
}

/**
 * Reads the snapshot once, under the account's lock, and plans each changed or new record in
 * `planned`. `reader` is a second connection because `tx` is busy copying rows; the lock ensures
 * that both see the same employees.
 */
export async function planSnapshot(tx: Client, reader: Client, snapshot: SnapshotToPlan): Promise<SnapshotPlan> {
  const planner = new Planner(tx, reader, snapshot);
  try {
    const records = await planner.read();
    const { newEmployees, movesEmails, hasGrants, unknown } = planner;
    const { recordIndexByPosition, missingImportIds, duplicateImportIds } = planner;
    await unknown?.writer.end();
    const { writer, dictionary } = unknown ?? {};
    return {
      records,
      planned: writer?.rows ?? 0,
      dictionary,
      newEmployees,
      movesEmails,
      hasGrants,
      recordIndexByPosition,
      missingImportIds,
      duplicateImportIds,
    };
  } catch (error) {
    await planner.unknown?.writer.abort();
    throw error;
  }
}

/** State needed to plan changed and new records. */
interface Unknown {
  dictionary: Dictionary;
  writer: PlannedWriter;
  hasErased: boolean;
}

class Planner {
  newEmployees = 0;
  movesEmails = false;
  hasGrants = false;
  readonly recordIndexByPosition: Int32Array;
  readonly missingImportIds: number[] = [];
  readonly duplicateImportIds: { first: number; second: number }[] = [];
  // Set at the first changed or new record; many imports have none.
  unknown: Unknown | undefined;
  readonly #tx: Client;
  readonly #reader: Client;
  readonly #snapshot: SnapshotToPlan;
  #nextId: number;
  #nextPosition: number;

  constructor(tx: Client, reader: Client, snapshot: SnapshotToPlan) {
    this.#tx = tx;
    this.#reader = reader;
    this.#snapshot = snapshot;
    this.#nextId = snapshot.state.next_employee_id;
    this.#nextPosition = snapshot.state.employees + 1;
    this.recordIndexByPosition = new Int32Array(snapshot.state.employees + 1);
  }

  /** Plans the whole snapshot. Returns the number of its records. */
  async read(): Promise<number> {
    const { pieces, encoding, hasher, known } = this.#snapshot;
    const { employees, findings } = await readSnapshot(pieces, {
      encoding,
      hasher,
      known: known.hashes,
      limits: NO_LIMITS,
      wasValidated: true,
      onKnown: (position, index) => this.markSeen(position, index),
      onUnknown: (batch) => this.plan(batch),
    });
    // The whole body was validated before it was accepted.
    if (findings[0] !== undefined) throw new Error(`cannot apply the accepted body: not valid at ${findings[0].pointer}`);
    return employees;
  }

  markSeen(position: number, index: number): void {
    const before = this.recordIndexByPosition[position] ?? 0;
    if (before > 0) this.duplicateImportIds.push({ first: before - 1, second: index });
    else this.recordIndexByPosition[position] = index + 1;
  }

  async plan(batch: readonly UnknownEmployee[]): Promise<void> {
    const { accountId, acceptedYear, defaultLanguage, known, progress } = this.#snapshot;
    const { dictionary, writer, hasErased } = (this.unknown ??= await this.#openUnknown());
    const importIds = batch.map(({ record }) => record.import_id);
    const employees = known.any ? await currentEmployees(this.#reader, accountId, importIds) : new Map<string, never>();
    const named = batch.map(({ record: { import_id: importId, email } }) => ({ importId, email }));
    const erased = hasErased ? await findErased(this.#reader, accountId, named) : new Map<number, never>();
    for (const [nth, { index, record, hash }] of batch.entries()) {
      if (nth % RECORDS_PER_TICK === 0) await setImmediate();
      const interpreted = interpretRecord(record, index, acceptedYear);
      const erasedBy = erased.get(nth);
      const intent =
        erasedBy === undefined
          ? interpreted
          : { ...interpreted, reasons: [...interpreted.reasons, erasedIssue(index, erasedBy)] };
      if (intent.importId.trim() === '') {
        this.missingImportIds.push(index);
        continue;
      }
      const found = employees.get(intent.importId);
      const current = found === 'large' ? await currentEmployee(this.#reader, accountId, intent.importId) : found;
      if (current) this.markSeen(current.position, index);
      else this.newEmployees += 1;
      const skipped = intent.reasons.length > 0;
      const plan = planEmployee(skipped ? { ...intent, attributes: [] } : intent, current, dictionary, defaultLanguage);
      if (!skipped) dictionary.use(plan.optionIds);
      this.movesEmails ||= !skipped && plan.emailKey !== current?.email_key;
      this.hasGrants ||= plan.grants !== undefined;
      const place = current ?? (skipped ? { id: 0, position: 0 } : { id: this.#nextId++, position: this.#nextPosition++ });
      writer.add({ intent, plan, current, employeeId: place.id, position: place.position, hash });
    }
    await writer.flush();
    await failpoint('import.loading');
    progress((batch.at(-1)?.index ?? 0) + 1);
  }

  async #openUnknown(): Promise<Unknown> {
    const { accountId, state } = this.#snapshot;
    const ids = countedIds({ attributeId: state.next_attribute_id, optionId: state.next_option_id });
    const [dictionary, hasErased] = [
      await loadDictionary(this.#tx, accountId, ids),
      await hasErasedEmployees(this.#tx, accountId),
    ];
    await openWorkingTables(this.#tx);
    return { dictionary, hasErased, writer: new PlannedWriter(this.#tx) };
  }
}
