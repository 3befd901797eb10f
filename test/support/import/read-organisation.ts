import { FIRST_NAMED_ID } from '@survey/import-reconciler/rules/dictionary-ids.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { expect } from 'vitest';
import type { Organisation, Person } from './organisation.ts';

const FIRST_IMPORTED_ID = 1_000_000_000;

interface EmployeeRow {
  readonly id: number;
  readonly position: number;
  readonly created_via: string;
  readonly import_id: string | null;
  readonly email: string;
  readonly email_key: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly language: string | null;
  readonly role: string | null;
  readonly is_deleted: boolean;
  readonly supervisor_id: number | null;
  readonly option_ids: readonly number[];
  readonly all_data: boolean;
  readonly granted_option_ids: readonly number[];
}

interface OptionRow {
  readonly id: number;
  readonly name: string;
  readonly attribute_id: number;
  readonly attribute_key: string;
  readonly attribute_name: string;
}

interface Tables {
  readonly employees: readonly EmployeeRow[];
  readonly options: readonly OptionRow[];
  readonly total: number;
  // Employees by the counters of each level of imports.employee_block.
  readonly counted: readonly [level1: number, level2: number];
}

const TABLES = `
  select coalesce((select jsonb_agg(to_jsonb(e) order by e.id) from imports.employee e where e.account_id = $1), '[]') as employees,
         coalesce((select jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'attribute_id', a.id, 'attribute_key', a.name_key,
                                                       'attribute_name', a.name))
                   from imports.attribute a
                   left join imports.attribute_option o on o.account_id = a.account_id and o.attribute_id = a.id
                   where a.account_id = $1), '[]') as options,
         coalesce((select employees from imports.account_state where account_id = $1), 0) as total,
         (select array[coalesce(sum(row_count) filter (where level = 1), 0), coalesce(sum(row_count) filter (where level = 2), 0)]::int[]
          from imports.employee_block where account_id = $1) as counted`;

/** Reads the account from the tables in the model's terms. Throws when an invariant is violated. */
export async function readOrganisation(db: Pool, accountId: number): Promise<Organisation> {
  const { rows } = await db.query<Tables>(TABLES, [accountId]);
  const { employees, options, total, counted } = rows[0] ?? { employees: [], options: [], total: 0, counted: [] };
  const byId = new Map(options.map((option) => [option.id, option]));
  expectSound(employees, byId);
  expect({ total, counted }).toEqual({ total: employees.length, counted: [employees.length, employees.length] });
  return { people: employees.map((row) => personOf(row, byId)), attributes: attributesOf(options) };
}

/** Reads everything that API readers may see, and all deferred facts. */
export async function readRows(db: Pool, accountId: number): Promise<unknown> {
  const { rows } = await db.query(
    `select (select jsonb_agg(to_jsonb(e) - 'account_id' - 'position' - 'content_hash' - 'offboarded_at' order by e.id)
             from imports.employee e where e.account_id = $1) as employees,
            (select jsonb_agg(to_jsonb(a) - 'account_id' order by a.id) from imports.attribute a where a.account_id = $1) as attributes,
            (select jsonb_agg(to_jsonb(o) - 'account_id' order by o.id)
             from imports.attribute_option o where o.account_id = $1) as options,
            (select jsonb_agg(to_jsonb(b) - 'account_id' order by b.level, b.block)
             from imports.employee_block b where b.account_id = $1) as blocks,
            (select jsonb_agg(to_jsonb(w) - 'account_id' - 'deferred_at' order by w.kind, w.object_id)
             from imports.deferred_fact w where w.account_id = $1) as waiting`,
    [accountId],
  );
  return rows[0];
}

function personOf(row: EmployeeRow, options: ReadonlyMap<number, OptionRow>): Person {
  const attributes: Record<string, string[]> = {};
  for (const id of row.option_ids) {
    const option = options.get(id);
    if (option) (attributes[option.attribute_key] ??= []).push(option.name);
  }
  for (const values of Object.values(attributes)) values.sort();
  return {
    id: row.id,
    createdVia: row.created_via,
    importId: row.import_id,
    email: row.email,
    firstname: row.firstname,
    lastname: row.lastname,
    language: row.language,
    role: row.role,
    isDeleted: row.is_deleted,
    supervisor: row.supervisor_id,
    attributes,
    allData: row.all_data,
    grants: row.granted_option_ids.map((id) => `${options.get(id)?.attribute_key}=${options.get(id)?.name}`).sort(),
  };
}

function attributesOf(options: readonly OptionRow[]): Organisation['attributes'] {
  const attributes: Record<string, { name: string; values: string[]; isNamedByFacts?: true }> = {};
  for (const { attribute_id, attribute_key, attribute_name, name } of options) {
    const named = attribute_id >= FIRST_NAMED_ID ? { isNamedByFacts: true as const } : {};
    (attributes[attribute_key] ??= { name: attribute_name, values: [], ...named }).values.push(name);
  }
  for (const { values } of Object.values(attributes)) values.sort();
  return attributes;
}

// Only active employees keep addresses; options exist, in attribute order, without duplicates.
function expectSound(rows: readonly EmployeeRow[], options: ReadonlyMap<number, OptionRow>): void {
  const unsound = rows.filter((row) => {
    const attributes = row.option_ids.map((id) => options.get(id)?.attribute_id ?? -1);
    const isSorted = attributes.every((id, i) => id > 0 && (attributes[i - 1] ?? 0) <= id);
    const isOnce = new Set(row.option_ids).size === row.option_ids.length;
    const isGranted = row.granted_option_ids.every((id) => options.has(id));
    return !((row.email_key === null) === row.is_deleted && isSorted && isOnce && isGranted);
  });
  expect(unsound).toEqual([]);
  // Positions have no gaps, and imports assign them in id order.
  expect(rows.map(({ position }) => position).sort((a, b) => a - b)).toEqual(rows.map((_, at) => at + 1));
  const imported = rows.filter(({ id }) => id >= FIRST_IMPORTED_ID).map(({ position }) => position);
  expect(imported).toEqual(imported.toSorted((a, b) => a - b));
}
