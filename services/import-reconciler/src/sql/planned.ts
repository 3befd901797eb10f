import { BinaryCopy } from '@survey/postgres/copy.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Intent } from '../rules/interpret-record.ts';
import type { Note } from '../rules/note.ts';
import type { CurrentEmployee, EmployeePlan } from '../rules/plan-employee.ts';

/**
 * The tables of one import's transaction: `planned` holds what each parsed record asks for, `note` what is found out about records
 * while the plan is settled.
 */
export async function createPlannedTables(tx: Client): Promise<void> {
  await tx.query(`
    create temporary table planned (
      index integer not null, employee_id bigint not null, position integer not null,
      is_new boolean not null, was_deleted boolean not null, skipped boolean not null, moves_email boolean not null,
      import_id text collate "C" not null, email text not null, email_key text collate "C" not null,
      firstname text not null, lastname text not null, language text, role text, option_ids integer[] not null,
      changed text[] not null,
      reports_to text collate "C", keeps_supervisor boolean not null,
      all_data boolean not null, granted_option_ids integer[] not null,
      grant_attributes text[] collate "C", grant_values text[] collate "C",
      reasons text, warnings text, content_hash uuid not null
    ) on commit drop;
    create temporary table note (
      index integer not null, is_reason boolean not null, pointer text not null, code text not null, detail text not null
    ) on commit drop`);
}

const COLUMNS = `index, employee_id, position, is_new, was_deleted, skipped, moves_email, import_id, email, email_key, firstname, lastname,
  language, role, option_ids, changed, reports_to, keeps_supervisor, all_data, granted_option_ids, grant_attributes, grant_values,
  reasons, warnings, content_hash`;
const COLUMN_COUNT = 25;

export interface PlannedRecord {
  intent: Intent;
  plan: EmployeePlan;
  current: CurrentEmployee | undefined;
  employeeId: number;
  position: number;
  hash: Buffer;
}

/** Streams planned records into `planned`. */
export class PlannedWriter {
  readonly #copy: BinaryCopy;

  constructor(tx: Client) {
    this.#copy = new BinaryCopy(tx, `copy planned (${COLUMNS}) from stdin (format binary)`);
  }

  add({ intent, plan, current, employeeId, position, hash }: PlannedRecord): void {
    const copy = this.#copy;
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
    copy.boolean(plan.allData);
    copy.int4Array(plan.grantedOptionIds);
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

  #notes(notes: readonly Note[]): void {
    this.#copy.text(notes.length === 0 ? null : JSON.stringify(notes));
  }

  flush(): Promise<void> {
    return this.#copy.flush();
  }

  /** Ends the stream and lets the planner see what came: without statistics it may join by nested loops for hours. */
  async end(tx: Client): Promise<void> {
    await this.#copy.end();
    await tx.query('analyze planned');
  }
}
