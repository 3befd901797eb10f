import { BinaryCopy } from '@survey/postgres/copy-in.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Intent, RecordIssue } from '../rules/interpret-record.ts';
import type { CurrentEmployee, EmployeePlan } from '../rules/plan-employee.ts';

interface PlannedRecord {
  readonly intent: Intent;
  readonly plan: EmployeePlan;
  readonly current: CurrentEmployee | undefined;
  readonly employeeId: number;
  readonly position: number;
  readonly hash: Buffer;
}

type PlannedColumn = readonly [name: string, type: string, write: (copy: BinaryCopy, record: PlannedRecord) => void];

/**
 * The table `planned`: its columns, and how a record writes each of them. Most passes read only the
 * first ones, and PostgreSQL finds columns of fixed length without reading the others.
 */
const PLANNED_COLUMNS: readonly PlannedColumn[] = [
  ['employee_id', 'bigint not null', (copy, { employeeId }) => copy.int8(employeeId)],
  ['content_hash', 'uuid not null', (copy, { hash }) => copy.uuid(hash)],
  ['index', 'integer not null', (copy, { intent }) => copy.int4(intent.index)],
  ['position', 'integer not null', (copy, { position }) => copy.int4(position)],
  ['is_new', 'boolean not null', (copy, { current }) => copy.boolean(current === undefined)],
  ['was_deleted', 'boolean not null', (copy, { current }) => copy.boolean(current?.is_deleted ?? false)],
  ['was_admin', 'boolean not null', (copy, { current }) => copy.boolean(current?.role === 'Admin' && !current.is_deleted)],
  ['skipped', 'boolean not null', (copy, { intent }) => copy.boolean(intent.reasons.length > 0)],
  ['moves_email', 'boolean not null', (copy, { plan, current }) => copy.boolean(plan.emailKey !== current?.email_key)],
  ['keeps_supervisor', 'boolean not null', (copy, { intent }) => copy.boolean(intent.reportsTo === undefined)],
  ['supervisor_is_deleted', 'boolean not null', (copy, { current }) => copy.boolean(current?.supervisor_is_deleted ?? false)],
  ['is_hash_missing', 'boolean not null', (copy, { current }) => copy.boolean(current?.is_hash_missing ?? true)],
  ['all_data', 'boolean not null', (copy, { plan }) => copy.boolean(plan.allData)],
  ['import_id', 'text collate "C" not null', (copy, { intent }) => copy.text(intent.importId)],
  ['email_key', 'text collate "C" not null', (copy, { plan }) => copy.text(plan.emailKey)],
  ['supervisor_id', 'bigint', (copy, { current }) => copy.int8(current?.supervisor_id ?? null)],
  ['reports_to', 'text collate "C"', (copy, { plan }) => copy.text(plan.reportsTo ?? null)],
  [
    'grant_attributes',
    'text[] collate "C"',
    (copy, { plan }) => copy.textArray(plan.grants?.map((grant) => grant.attributeKey) ?? null),
  ],
  ['grant_values', 'text[] collate "C"', (copy, { plan }) => copy.textArray(plan.grants?.map((grant) => grant.value) ?? null)],
  ['reasons', 'text', (copy, { intent }) => copy.text(jsonOf(intent.reasons))],
  ['warnings', 'text', (copy, { intent }) => copy.text(jsonOf(intent.warnings))],
  ['email', 'text not null', (copy, { plan }) => copy.text(plan.email)],
  ['firstname', 'text not null', (copy, { plan }) => copy.text(plan.firstname)],
  ['lastname', 'text not null', (copy, { plan }) => copy.text(plan.lastname)],
  ['language', 'text', (copy, { plan }) => copy.text(plan.language)],
  ['role', 'text', (copy, { plan }) => copy.text(plan.role)],
  ['derived_like', 'text', (copy, { intent }) => copy.text(jsonOf(intent.derivedLike))],
  ['former_email_key', 'text collate "C"', (copy, { plan }) => copy.text(plan.formerEmailKey ?? null)],
  ['option_ids', 'integer[] not null', (copy, { plan }) => copy.int4Array(plan.optionIds)],
  ['changed', 'text[] not null', (copy, { plan }) => copy.textArray(plan.changed)],
  ['granted_option_ids', 'integer[] not null', (copy, { plan }) => copy.int4Array(plan.grantedOptionIds)],
  ['had_all_data', 'boolean', (copy, { current }) => copy.boolean(current?.all_data ?? null)],
  ['had_granted_option_ids', 'integer[]', (copy, { current }) => copy.int4Array(current?.granted_option_ids ?? null)],
];

function jsonOf(issues: readonly RecordIssue[]): string | null {
  return issues.length === 0 ? null : JSON.stringify(issues);
}

// Created once per connection and empty in every transaction: creating and dropping the tables each
// time costs more than a small import, and leaves about 100 dead rows in the system catalogs.
const TABLES = `
  -- Changed and new records with the changes that they request.
  create temporary table if not exists planned (${PLANNED_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')})
  on commit delete rows;

  -- Reasons and warnings added while the plan is resolved.
  create temporary table if not exists added_issue (
    index integer not null, is_reason boolean not null, pointer text not null, code text not null, about jsonb
  ) on commit delete rows;

  -- Unchanged records whose employees are affected by other records.
  create temporary table if not exists affected_record (
    index integer not null, employee_id bigint not null, import_id text collate "C", sends_supervisor boolean not null,
    is_changed boolean not null
  ) on commit delete rows;

  -- Employees with an address that the record of another one wants, before the change.
  create temporary table if not exists address_holder (index integer not null, employee_id bigint not null)
  on commit delete rows;

  -- Options that grants name.
  create temporary table if not exists found_option (index integer not null, number integer not null, option_id integer not null)
  on commit delete rows;

  -- Whom an import_id means that a record names as supervisor, after the import.
  create temporary table if not exists meant_supervisor (
    import_id text collate "C" not null, id bigint, is_contested boolean not null, is_removed boolean not null
  ) on commit delete rows;

  -- How new attributes are spelled from a record on, until the next row.
  create temporary table if not exists spelling (attribute_id integer not null, index integer not null, name text not null)
  on commit delete rows;

  -- Employees offboarded by this import, before the change.
  create temporary table if not exists offboarded (id bigint not null, email_key text collate "C" not null) on commit delete rows`;

/** Creates the working tables of an import's transaction, if missing. */
export async function openWorkingTables(tx: Client): Promise<void> {
  await tx.query(TABLES);
}

const FEW = 1_000;

/** Updates the planner's statistics. A few rows need no statistics, because any plan is fast. */
export async function analyze(tx: Client, rows: number, tables: string): Promise<void> {
  if (rows > FEW) await tx.query(`analyze ${tables}`);
}

// Duration of one COPY. A COPY that lasts much longer belongs to a paused process; see
// terminateStalledCopies.
const MAX_COPY_MS = 500;

const COPY_PLANNED = `copy planned (${PLANNED_COLUMNS.map(([name]) => name).join(', ')}) from stdin (format binary)`;

/** Streams planned records into `planned`, with a new COPY every 500 ms. */
export class PlannedWriter {
  rows = 0;
  readonly #tx: Client;
  #copy: BinaryCopy | undefined;
  #openedAt = 0;

  constructor(tx: Client) {
    this.#tx = tx;
  }

  add(record: PlannedRecord): void {
    this.rows += 1;
    const copy = (this.#copy ??= this.#open());
    copy.row(PLANNED_COLUMNS.length);
    for (const [, , write] of PLANNED_COLUMNS) write(copy, record);
  }

  async flush(): Promise<void> {
    await this.#copy?.flush();
    if (performance.now() - this.#openedAt >= MAX_COPY_MS) await this.pause();
  }

  /** Ends the COPY, so that the transaction can run other statements until the next record. */
  async pause(): Promise<void> {
    await this.#copy?.end();
    this.#copy = undefined;
  }

  /** Aborts the COPY; without it the transaction's next statement would wait forever. */
  async abort(): Promise<void> {
    await this.#copy?.abort();
  }

  /**
   * Ends the COPY and updates the statistics; without them the planner may choose nested loops that
   * run for hours.
   */
  async end(): Promise<void> {
    await this.pause();
    await analyze(this.#tx, this.rows, 'planned');
  }

  #open(): BinaryCopy {
    this.#openedAt = performance.now();
    return new BinaryCopy(this.#tx, COPY_PLANNED);
  }
}

/** An employee whom records of others affect. */
export interface AffectedEmployee {
  readonly position: number;
  readonly employee_id: number;
  readonly import_id: string | null;
  readonly sends_supervisor: boolean;
}

/** Columns of imports.employee that form an AffectedEmployee. */
export const AFFECTED_EMPLOYEE = 'position, id as employee_id, import_id, sends_supervisor';

/** Adds unchanged records; the plan of a planned record has its own warnings. */
export async function addAffected(
  tx: Client,
  affected: readonly (AffectedEmployee & { readonly index: number })[],
  isChanged: boolean,
): Promise<void> {
  if (affected.length === 0) return;
  await tx.query(
    `insert into affected_record
     select b.*, $5::boolean from unnest($1::int[], $2::bigint[], $3::text[], $4::boolean[]) as b (index, employee_id, import_id, sends_supervisor)
     where not exists (select from planned p where p.index = b.index) and not exists (select from affected_record a where a.index = b.index)`,
    [
      affected.map(({ index }) => index),
      affected.map(({ employee_id }) => employee_id),
      affected.map(({ import_id }) => import_id),
      affected.map(({ sends_supervisor }) => sends_supervisor),
      isChanged,
    ],
  );
  await analyze(tx, affected.length, 'affected_record');
}
