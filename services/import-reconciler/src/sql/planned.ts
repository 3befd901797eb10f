import { BinaryCopy } from '@survey/postgres/copy.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Intent } from '../rules/interpret-record.ts';
import type { RecordIssue } from '../rules/record-issue.ts';
import type { CurrentEmployee, EmployeePlan } from '../rules/plan-employee.ts';
import { analyze } from './working-tables.ts';

const COLUMNS = `index, employee_id, position, is_new, was_deleted, skipped, moves_email, import_id, email, email_key, firstname, lastname,
  language, role, option_ids, changed, reports_to, keeps_supervisor, supervisor_id, supervisor_is_deleted, is_unsettled,
  all_data, granted_option_ids, had_all_data, had_granted_option_ids, grant_attributes, grant_values, reasons, warnings, content_hash`;
const COLUMN_COUNT = 30;

interface PlannedRecord {
  intent: Intent;
  plan: EmployeePlan;
  current: CurrentEmployee | undefined;
  employeeId: number;
  position: number;
  hash: Buffer;
}

// Duration of one COPY. A COPY that lasts much longer belongs to a paused process; see
// terminateStalledCopies.
const MAX_COPY_MS = 500;

function openCopy(tx: Client): BinaryCopy {
  return new BinaryCopy(tx, `copy planned (${COLUMNS}) from stdin (format binary)`);
}

/** Streams planned records into `planned`, with a new COPY every 500 ms. */
export class PlannedWriter {
  rows = 0;
  readonly #tx: Client;
  #copy: BinaryCopy;
  #openedAt = performance.now();

  constructor(tx: Client) {
    this.#tx = tx;
    this.#copy = openCopy(tx);
  }

  add({ intent, plan, current, employeeId, position, hash }: PlannedRecord): void {
    const copy = this.#copy;
    this.rows += 1;
    copy.row(COLUMN_COUNT);
    copy.int4(intent.index);
    copy.int8(employeeId);
    copy.int4(position);
    copy.boolean(current === undefined);
    copy.boolean(current?.is_deleted ?? false);
    copy.boolean(intent.reasons.length > 0);
    copy.boolean(plan.emailKey !== current?.email_key);
    copy.text(intent.importId);
    copy.text(plan.email);
    copy.text(plan.emailKey);
    copy.text(plan.firstname);
    copy.text(plan.lastname);
    copy.text(plan.language);
    copy.text(plan.role);
    copy.int4Array(plan.optionIds);
    copy.textArray(plan.changed);
    copy.text(plan.reportsTo ?? null);
    copy.boolean(intent.reportsTo === undefined);
    if (current?.supervisor_id == null) copy.null();
    else copy.int8(current.supervisor_id);
    copy.boolean(current?.supervisor_is_deleted ?? false);
    copy.boolean(current?.is_unsettled ?? true);
    copy.boolean(plan.allData);
    copy.int4Array(plan.grantedOptionIds);
    if (current === undefined) {
      copy.null();
      copy.null();
    } else {
      copy.boolean(current.all_data);
      copy.int4Array(current.granted_option_ids);
    }
    this.#texts(plan.grants?.map(({ attributeKey }) => attributeKey));
    this.#texts(plan.grants?.map(({ value }) => value));
    this.#notes(intent.reasons);
    this.#notes(intent.warnings);
    copy.uuid(hash);
  }

  #texts(values: readonly string[] | undefined): void {
    if (values === undefined) this.#copy.null();
    else this.#copy.textArray(values);
  }

  #notes(notes: readonly RecordIssue[]): void {
    this.#copy.text(notes.length === 0 ? null : JSON.stringify(notes));
  }

  async flush(): Promise<void> {
    await this.#copy.flush();
    if (performance.now() - this.#openedAt < MAX_COPY_MS) return;
    await this.#copy.end();
    this.#copy = openCopy(this.#tx);
    this.#openedAt = performance.now();
  }

  /** Aborts the COPY; without it the transaction's next statement would wait forever. */
  abort(): Promise<void> {
    return this.#copy.abort();
  }

  /**
   * Ends the COPY and updates the statistics; without them the planner may choose nested loops that
   * run for hours.
   */
  async end(): Promise<void> {
    await this.#copy.end();
    await analyze(this.#tx, this.rows, 'planned');
  }
}
