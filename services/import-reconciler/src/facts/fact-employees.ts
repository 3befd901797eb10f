import type { Version } from '@survey/bus/facts/fact.ts';
import { emailKey } from '@survey/formats/email-key.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { Draft, StoredEmployee, Versions } from '../rules/draft.ts';

/** Values of employees, and versions of their fields, that a batch of facts may need in memory. */
const MAX_TOGETHER = 100_000;

/** The facts must be applied in parts, of fewer employees each. */
export class TooManyTogetherError extends Error {
  override readonly name = 'TooManyTogetherError';
}

/** Finds employees by these ids, and employees of the import API by these import_ids. */
export async function findEmployees(
  tx: Client,
  accountId: number,
  ids: readonly number[],
  importIds: readonly string[],
): Promise<StoredEmployee[]> {
  const { rows } = await tx.query<FoundEmployee>(
    `select ${FIELDS}, case when count(*) over () = 1 or sum(cardinality(option_ids)) over () <= ${MAX_TOGETHER} then option_ids end as option_ids
     from (
       select ${FIELDS}, option_ids from imports.employee where account_id = $1 and id = any($2::bigint[])
       union all
       select ${FIELDS}, option_ids from imports.employee
       where account_id = $1 and created_via = 'import_api' and import_id = any($3::text[]) and id <> all($2::bigint[])
     ) e`,
    [accountId, ids, importIds],
  );
  if (!rows.every(isComplete)) throw new TooManyTogetherError();
  return rows;
}

const FIELDS = 'id, created_via, import_id, email, firstname, lastname, language, role, is_deleted';
type FoundEmployee = Omit<StoredEmployee, 'option_ids'> & { readonly option_ids: readonly number[] | null };
const isComplete = (row: FoundEmployee): row is StoredEmployee => row.option_ids !== null;

/** Returns which of the normalised addresses belong to employees other than these. */
export async function addressesOfOthers(
  tx: Client,
  accountId: number,
  addresses: readonly string[],
  butIds: readonly number[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ email_key: string }>(
    'select email_key from imports.employee where account_id = $1 and email_key = any($2::text[]) and id <> all($3::bigint[])',
    [accountId, addresses, butIds],
  );
  return new Set(rows.map(({ email_key }) => email_key));
}

/** An employee to write; email_key is null when offboarded. */
export interface WrittenEmployee extends StoredEmployee {
  readonly email_key: string | null;
}

const COLUMNS = `id bigint, created_via text, import_id text, email text, email_key text, firstname text, lastname text, language text,
  role text, is_deleted boolean, option_ids integer[]`;

/**
 * Overwrites employees and clears their content hashes, so that the next import reads their records
 * again (rule IMPORT-VALUES-2).
 */
export async function updateEmployees(tx: Client, accountId: number, employees: readonly WrittenEmployee[]): Promise<void> {
  if (employees.length === 0) return;
  await tx.query(
    `update imports.employee e
     set created_via = s.created_via, import_id = s.import_id, email = s.email, email_key = s.email_key, firstname = s.firstname,
         lastname = s.lastname, language = s.language, role = s.role, is_deleted = s.is_deleted, option_ids = s.option_ids, content_hash = null,
         offboarded_at = case when s.is_deleted then e.offboarded_at end
     from json_to_recordset($2::json) as s (${COLUMNS})
     where e.account_id = $1 and e.id = s.id`,
    [accountId, JSON.stringify(employees)],
  );
  const deleted = employees.filter(({ is_deleted }) => is_deleted).map(({ id }) => id);
  if (deleted.length === 0) return;
  await tx.query(
    'update imports.employee set offboarded_at = now() where account_id = $1 and id = any($2::bigint[]) and offboarded_at is null',
    [accountId, deleted],
  );
}

/** Appends new employees to the list and counts them (imports.employee_block). */
export async function insertEmployees(tx: Client, accountId: number, employees: readonly WrittenEmployee[]): Promise<void> {
  if (employees.length === 0) return;
  await tx.query(
    `with created as (
       insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, firstname, lastname, language,
         role, is_deleted, offboarded_at, option_ids)
       select $1::bigint, s.id, a.employees + row_number() over (order by s.id), s.created_via, s.import_id, s.email, s.email_key,
         s.firstname, s.lastname, s.language, s.role, s.is_deleted, case when s.is_deleted then now() end, s.option_ids
       from json_to_recordset($2::json) as s (${COLUMNS})
       join imports.account_state a on a.account_id = $1::bigint
       returning id
     ), grown as (
       update imports.account_state set employees = employees + n.created
       from (select count(*)::int as created from created) n
       where account_id = $1::bigint
     )
     insert into imports.employee_block (account_id, level, block, row_count)
     select $1::bigint, l.level, c.id >> l.bits, count(*)
     from created c cross join (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
     group by 2, 3
     on conflict (account_id, level, block) do update set row_count = employee_block.row_count + excluded.row_count`,
    [accountId, JSON.stringify(employees)],
  );
}

/** Returns the address that an employee occupies in the account; null when offboarded. */
export function activeEmailKey(employee: StoredEmployee): string | null {
  return employee.is_deleted ? null : emailKey(employee.email);
}

/** An employee before and after the change. */
export interface Change {
  readonly stored: StoredEmployee | undefined;
  readonly draft: Draft;
}

/**
 * Who has an address once all changes are applied: nobody of them, if an employee who does not
 * change holds it; of several claimants the one who keeps it, otherwise the one with the lowest id.
 * A change is compared once for each address that it claims, however long the chain of addresses.
 */
export class AddressClaims<T> {
  readonly #holders: ReadonlySet<string>;
  readonly #first = new Map<string, Change & { readonly claimant: T }>();
  readonly #unserved: T[] = [];

  constructor(holders: ReadonlySet<string>) {
    this.#holders = holders;
  }

  add(claimant: T, change: Change): void {
    const address = activeEmailKey(change.draft.employee);
    if (address === null) return;
    const first = this.#first.get(address);
    if (this.#holders.has(address) || (first !== undefined && !isBefore(change, first))) {
      this.#unserved.push(claimant);
      return;
    }
    if (first !== undefined) this.#unserved.push(first.claimant);
    this.#first.set(address, { ...change, claimant });
  }

  /** Returns one who does not get the address and must claim another one, if any. */
  takeUnserved(): T | undefined {
    return this.#unserved.pop();
  }
}

function isBefore(one: Change, other: Change): boolean {
  const isKept = ({ stored, draft }: Change): boolean =>
    stored !== undefined && activeEmailKey(stored) === activeEmailKey(draft.employee);
  return isKept(one) === isKept(other) ? one.draft.employee.id < other.draft.employee.id : isKept(one);
}

interface VersionRow {
  readonly employee_id: number;
  readonly field: string;
  readonly revision: number;
  readonly digest: Buffer;
}

/** What facts about an employee are compared with. */
export interface Compared {
  readonly id: number;
  readonly fields: readonly string[];
  // Revision of the newest fact with all fields; nothing older counts.
  readonly wholeRevision: number | undefined;
}

/**
 * Returns the versions that count, by employee and field, of an employee with all fields about
 * `max`.
 */
export async function loadVersions(
  tx: Client,
  accountId: number,
  employees: readonly Compared[],
  max: number,
): Promise<Map<number, Versions>> {
  const wholes = employees.filter(({ wholeRevision }) => wholeRevision !== undefined);
  const edits = employees.filter(({ wholeRevision }) => wholeRevision === undefined);
  const edited = edits.flatMap(({ id, fields }) => fields.map((field) => ({ id, field })));
  const { rows } = await tx.query<VersionRow>(
    `select r.* from unnest($2::bigint[], $3::bigint[]) as whole (id, revision) cross join lateral (
       select employee_id, field, revision, digest from imports.employee_revision
       where account_id = $1 and employee_id = whole.id and (field = '' or revision >= whole.revision) limit $6) r
     union all
     select r.* from unnest($4::bigint[], $5::text[]) as edited (id, field) cross join lateral (
       select employee_id, field, revision, digest from imports.employee_revision
       where account_id = $1 and employee_id = edited.id and field = edited.field offset 0) r`,
    [
      accountId,
      wholes.map(({ id }) => id),
      wholes.map(({ wholeRevision }) => wholeRevision),
      edited.map(({ id }) => id),
      edited.map(({ field }) => field),
      max + 1,
    ],
  );
  if (rows.length > MAX_TOGETHER && employees.length > 1) throw new TooManyTogetherError();
  const byEmployee = new Map<number, Map<string, Version>>();
  for (const { employee_id, field, ...version } of rows) {
    const versions = byEmployee.get(employee_id) ?? new Map<string, Version>();
    byEmployee.set(employee_id, versions.set(field, version));
  }
  return byEmployee;
}

export async function saveVersions(
  tx: Client,
  accountId: number,
  decided: readonly { readonly employeeId: number; readonly field: string; readonly version: Version }[],
): Promise<void> {
  if (decided.length === 0) return;
  await tx.query(
    `insert into imports.employee_revision (account_id, employee_id, field, revision, digest)
     select $1, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bytea[])
     on conflict (account_id, employee_id, field) do update set revision = excluded.revision, digest = excluded.digest`,
    [
      accountId,
      decided.map(({ employeeId }) => employeeId),
      decided.map(({ field }) => field),
      decided.map(({ version }) => version.revision),
      decided.map(({ version }) => version.digest),
    ],
  );
}
