import type { Client } from '@survey/postgres/database.ts';
import { PLANNED_COLUMNS } from './planned-columns.ts';

// Created once per connection and empty in every transaction: creating and dropping the tables each
// time costs more than a small import, and leaves about 100 dead rows in the system catalogs.
const TABLES = `
  -- Changed and new records with the changes that they request.
  create temporary table if not exists planned (${PLANNED_COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')})
  on commit delete rows;

  -- Reasons and warnings added while the plan is resolved.
  create temporary table if not exists added_issue (
    index integer not null, is_reason boolean not null, pointer text not null, code text not null,
    detail text not null
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

  -- Employees offboarded by this import, before the change.
  create temporary table if not exists offboarded (id bigint not null, email_key text collate "C" not null) on commit delete rows`;

/** Creates the working tables of an import's transaction, if missing. */
export async function openWorkingTables(tx: Client): Promise<void> {
  await tx.query(TABLES);
}

const FEW = 1_000;

/** Updates the planner's statistics. Few rows need none: any plan is fast. */
export async function analyze(tx: Client, rows: number, tables: string): Promise<void> {
  if (rows > FEW) await tx.query(`analyze ${tables}`);
}
