import { emailKey } from '@survey/formats/email-key.ts';
import { isBlank } from '@survey/formats/is-blank.ts';
import type { RekeyRefusalCode } from '@survey/formats/import-reasons.ts';
import type { Client } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/stream-rows.ts';
import type { FormerIdentity, RekeyRefusal, RekeyRow } from '@survey/proto/common/v1/rekeying.ts';
import { tooLarge } from '@survey/rpc/application-error.ts';
import { createHash } from 'node:crypto';
import { analyze } from '../apply/working-tables.ts';

// A map that gives employees other import_ids. It is kept in tables of the transaction, so it needs
// no memory here, and each rule about it is one statement over all rows.

const MAX_ROWS = 1_000_000;
const MAX_REFUSALS = 1_000;
// The same limit as in a snapshot.
const MAX_CODE_POINTS = 255;
// Maximum bytes of import_ids of employees from files in a response.
const MAX_FORMER_BYTES = 16 * 2 ** 20;
const ORIGINS = ['import_api', 'app', 'file', 'sftp', 'hcm'];

const TABLES = `
  -- The map as received; values that are invalid are null.
  create temporary table if not exists rekey_row (
    line bigint not null, key text collate "C", new_import_id text collate "C", employee_id bigint, created_via text not null
  ) on commit delete rows;

  -- The employees whom its keys name.
  create temporary table if not exists rekeyed (
    line bigint not null, employee_id bigint not null, former_import_id text collate "C", former_created_via text not null,
    new_import_id text collate "C", created_via text not null, is_changed boolean not null
  ) on commit delete rows`;

/** Creates the tables of a map in the transaction, if missing. */
export async function openMapTables(tx: Client): Promise<void> {
  await tx.query(TABLES);
}

/** The refusals of a map: the first ones by line, and the number of all. */
interface Refusals {
  readonly refusals: readonly RekeyRefusal[];
  readonly total: number;
}

interface ReceivedMap {
  readonly rows: number;
  // Values that no employee can have.
  readonly malformed: Refusals;
  // Whether rows say who cares for the employee from now on.
  readonly hasOrigins: boolean;
}

/** Stores the rows of a map as they arrive. @throws `too_large` */
export async function receiveMap(
  tx: Client,
  batches: AsyncIterable<readonly RekeyRow[]>,
  isByEmail: boolean,
): Promise<ReceivedMap> {
  await openMapTables(tx);
  const malformed: RekeyRefusal[] = [];
  let total = 0;
  let count = 0;
  let hasOrigins = false;
  for await (const rows of batches) {
    count += rows.length;
    if (count > MAX_ROWS) throw tooLarge(`the map has more than ${MAX_ROWS} rows: split it`);
    const faults = rows.flatMap(faultsOf);
    total += faults.length;
    malformed.push(...faults.slice(0, MAX_REFUSALS - malformed.length)); // Bounded: MAX_REFUSALS.
    hasOrigins ||= rows.some(({ created_via }) => created_via != null);
    await storeRows(tx, rows, isByEmail);
  }
  await analyze(tx, count, 'rekey_row');
  return { rows: count, malformed: { refusals: malformed, total }, hasOrigins };
}

const originOf = ({ created_via }: RekeyRow): string => created_via ?? 'import_api';

function faultsOf(row: RekeyRow): { line: number; code: RekeyRefusalCode }[] {
  const { line, key, new_import_id: newImportId } = row;
  const mayBeEmpty = newImportId === '' && originOf(row) !== 'import_api';
  const codes = [
    faultOf(key, 'key'),
    mayBeEmpty ? undefined : faultOf(newImportId, 'new_id'),
    ORIGINS.includes(originOf(row)) ? undefined : ('created_via_invalid' as const),
  ];
  return codes.flatMap((code) => (code === undefined ? [] : { line, code }));
}

function faultOf(value: string, what: 'key' | 'new_id'): RekeyRefusalCode | undefined {
  if (isBlank(value) || value.includes('\0')) return `${what}_blank`;
  const isTooLong = value.length > 2 * MAX_CODE_POINTS || Array.from(value).length > MAX_CODE_POINTS;
  return isTooLong ? `${what}_too_long` : undefined;
}

async function storeRows(tx: Client, rows: readonly RekeyRow[], isByEmail: boolean): Promise<void> {
  const valid = (value: string): string | null => (faultOf(value, 'key') === undefined ? value : null);
  const keyOf = ({ key }: RekeyRow): string | null => valid(isByEmail ? emailKey(key) : key);
  await tx.query(
    `insert into rekey_row (line, key, new_import_id, employee_id, created_via)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[])`,
    [
      rows.map(({ line }) => line),
      rows.map(keyOf),
      rows.map((row) => valid(row.new_import_id)),
      rows.map((row) => row.employee_id ?? null),
      rows.map(originOf),
    ],
  );
}

const findBy = (condition: string): string => `
insert into rekeyed
select r.line, e.id, e.import_id, e.created_via, r.new_import_id, r.created_via,
       r.new_import_id is distinct from e.import_id or r.created_via <> e.created_via
from rekey_row r join imports.employee e on e.account_id = $1 and ${condition}`;

/** Finds the employees whom the keys name. Needs the account's lock. */
export async function findNamedEmployees(tx: Client, accountId: number, isByEmail: boolean): Promise<void> {
  const condition = isByEmail ? 'e.email_key = r.key' : `e.created_via = 'import_api' and e.import_id = r.key`;
  const { rowCount } = await tx.query(findBy(condition), [accountId]);
  await analyze(tx, rowCount ?? 0, 'rekeyed');
}

// A new import_id may belong to another employee if the map gives that employee a new one as well,
// so that ids can be swapped.
const REFUSED = `
with refused (line, code, about) as (
  select line, '${'key_repeated' satisfies RekeyRefusalCode}', first_line from (
    select line, min(line) over (partition by key) as first_line from rekey_row where key is not null) r
  where line <> first_line
  union all
  select line, '${'new_id_repeated' satisfies RekeyRefusalCode}', first_line from (
    select line, min(line) over (partition by new_import_id) as first_line from rekey_row where new_import_id is not null) r
  where line <> first_line
  union all
  select r.line, case when $2::boolean then '${'email_unknown' satisfies RekeyRefusalCode}' else '${'old_id_unknown' satisfies RekeyRefusalCode}' end, null::bigint
  from rekey_row r left join rekeyed k on k.line = r.line
  where k.line is null and r.key is not null
  union all
  select line, '${'already_imported' satisfies RekeyRefusalCode}', employee_id from rekeyed where $2::boolean and former_created_via = 'import_api'
  union all
  select k.line, '${'employee_changed' satisfies RekeyRefusalCode}', k.employee_id
  from rekeyed k join rekey_row r on r.line = k.line where r.employee_id <> k.employee_id
  union all
  select k.line, '${'new_id_taken' satisfies RekeyRefusalCode}', e.id
  from rekeyed k
  join imports.employee e on e.account_id = $1 and e.created_via = 'import_api' and e.import_id = k.new_import_id
  left join rekeyed moved on moved.employee_id = e.id
  where k.created_via = 'import_api' and moved.employee_id is null
  union all
  select k.line, '${'new_id_erased' satisfies RekeyRefusalCode}', null::bigint
  from rekeyed k
  join imports.account_state s on s.account_id = $1
  join imports.erased_employee x on x.account_id = $1
    and x.import_id_hash = imports.identity_hash(s.hash_salt, 'import_id', k.new_import_id)
  where k.created_via = 'import_api'
)
select line, code, about, count(*) over () as total from refused order by line, code limit ${MAX_REFUSALS}`;

/** Returns why rows cannot be applied. */
export async function findRefusals(tx: Client, accountId: number, isByEmail: boolean): Promise<Refusals> {
  const { rows } = await tx.query<RekeyRefusal & { total: number }>(REFUSED, [accountId, isByEmail]);
  return { refusals: rows.map(({ line, code, about }) => ({ line, code, about: about ?? null })), total: rows[0]?.total ?? 0 };
}

/** Returns all refusals of both, in the order of the lines. */
export function mergeRefusals(a: Refusals, b: Refusals): Refusals {
  const refusals = [...a.refusals, ...b.refusals].toSorted((one, other) => one.line - other.line).slice(0, MAX_REFUSALS);
  return { refusals, total: a.total + b.total };
}

interface PlannedRow {
  readonly employee_id: number;
  readonly former_import_id: string | null;
  readonly former_created_via: string;
}

interface RekeyPlan {
  // Hash of the employees and of what they are now.
  readonly digest: Buffer;
  // By row.
  readonly employeeIds: number[];
  readonly former: FormerIdentity[];
}

const BATCH_SIZE = 10_000;

/**
 * Reads whom a map without refusals changes.
 * @param withFormer whether the keys do not say what the employees were before
 */
export async function readPlan(tx: Client, withFormer: boolean): Promise<RekeyPlan> {
  const digest = createHash('sha256');
  const employeeIds: number[] = [];
  const formerIdentities: FormerIdentity[] = [];
  let bytes = 0;
  const query = 'select employee_id, former_import_id, former_created_via from rekeyed order by line';
  for await (const rows of readBatches<PlannedRow>(tx, query, BATCH_SIZE)) {
    for (const { employee_id, former_import_id: importId, former_created_via: createdVia } of rows) {
      digest.update(`${JSON.stringify([employee_id, importId, createdVia])}\n`);
      employeeIds.push(employee_id);
      if (!withFormer) continue;
      bytes += Buffer.byteLength(importId ?? '');
      if (bytes > MAX_FORMER_BYTES) throw tooLarge('the import_ids of these employees are too long for one map: split it');
      formerIdentities.push({ created_via: createdVia, import_id: importId });
    }
  }
  return { digest: digest.digest(), employeeIds, former: formerIdentities };
}

/** Counts the employees who change, and those of them who get the former import_id of another. */
export async function countChanges(tx: Client): Promise<{ changed: number; reused: number }> {
  const { rows } = await tx.query<{ changed: number; reused: number }>(
    `select count(*) as changed, count(previous.line) as reused
     from rekeyed k
     left join rekeyed previous on previous.former_import_id = k.new_import_id
       and previous.former_created_via = 'import_api' and previous.employee_id <> k.employee_id
     where k.is_changed`,
  );
  return rows[0] ?? { changed: 0, reused: 0 };
}
