import type { EmployeeRecord } from '@survey/formats/employee-record.ts';
import { createElementHasher } from '@survey/import-reconciler/snapshot/content-hash.ts';
import { BinaryCopy } from '@survey/postgres/copy-in.ts';
import { inTransaction, type Client, type Pool } from '@survey/postgres/database.ts';
import { forEachElement } from './copy-lower-bound.ts';

const TABLES = ['attribute', 'attribute_option', 'employee', 'employee_block', 'record_result'];
const ACCOUNT = 1;
const FIRST_ID = 1_000_000_000;
const COLUMNS = `index integer, import_id text collate "C", email text, firstname text, lastname text, language text, role text,
  option_ids integer[], reports_to text collate "C", hash uuid`;

/**
 * Measures the second lower bound of a first import in milliseconds: writes the same rows with the
 * same indexes, in one transaction, by SQL for this case alone. It validates nothing, stores no
 * body, publishes nothing, and knows neither conflicts nor grants.
 */
export async function measureSqlLowerBound(pool: Pool, gzipFile: string): Promise<number> {
  const copies = TABLES.map((table) => `create table lower_bound.${table} (like imports.${table} including all)`);
  await pool.query(`drop schema if exists lower_bound cascade; create schema lower_bound; ${copies.join('; ')}`);
  const startedAt = performance.now();
  await inTransaction(pool, (tx) => importEmployees(tx, gzipFile));
  const ms = performance.now() - startedAt;
  await pool.query('drop schema lower_bound cascade');
  return ms;
}

async function importEmployees(tx: Client, gzipFile: string): Promise<void> {
  await tx.query(`
    set local work_mem = '64MB';
    set local default_statistics_target = 10;
    create temporary table staged (${COLUMNS}) on commit drop`);
  const { attributes, options } = await stage(tx, gzipFile);
  await tx.query(
    'insert into lower_bound.attribute (account_id, id, name, name_key) select $1::bigint, id, name, lower(name) from unnest($2::int[], $3::text[]) a (id, name)',
    [ACCOUNT, [...attributes.values()], [...attributes.keys()]],
  );
  await tx.query(
    'insert into lower_bound.attribute_option (account_id, id, attribute_id, name) select $1::bigint, * from unnest($2::int[], $3::int[], $4::text[])',
    [ACCOUNT, options.map(({ id }) => id), options.map(({ attribute }) => attribute), options.map(({ name }) => name)],
  );
  await tx.query('analyze staged');
  await tx.query(`
    insert into lower_bound.employee (account_id, id, position, created_via, import_id, email, email_key, firstname, lastname, language,
      role, option_ids, supervisor_id, content_hash, sends_supervisor)
    select ${ACCOUNT}, ${FIRST_ID} + s.index, s.index + 1, 'import_api', s.import_id, s.email, lower(s.email), s.firstname, s.lastname,
      s.language, s.role, s.option_ids, ${FIRST_ID} + boss.index, s.hash, true
    from staged s left join staged boss on boss.import_id = s.reports_to`);
  await tx.query(`
    insert into lower_bound.record_result (account_id, import_uuid, record_index, import_id, outcome)
    select ${ACCOUNT}, '00000000-0000-0000-0000-000000000000', index, import_id, 'created' from staged`);
  await tx.query(`
    insert into lower_bound.employee_block (account_id, level, block, row_count)
    select ${ACCOUNT}, level, (${FIRST_ID}::bigint + index) >> bits, count(*) from staged, (values (1, 11), (2, 22)) as l (level, bits)
    group by 2, 3`);
}

interface Option {
  readonly id: number;
  readonly attribute: number;
  readonly name: string;
}

/** Copies the records, and returns their attributes and options. */
async function stage(tx: Client, gzipFile: string): Promise<{ attributes: Map<string, number>; options: Option[] }> {
  const copy = new BinaryCopy(tx, 'copy staged from stdin (format binary)');
  const hasher = await createElementHasher('');
  const attributes = new Map<string, number>();
  const options = new Map<string, Option>();
  const optionOf = ({ name, value }: NonNullable<EmployeeRecord['attributes']>[number]): number => {
    const attribute = attributes.get(name) ?? attributes.size + 1;
    attributes.set(name, attribute);
    const key = `${attribute}/${value?.name}`;
    const option = options.get(key) ?? { id: options.size + 1, attribute, name: value?.name ?? '' };
    options.set(key, option);
    return option.id;
  };
  await forEachElement(gzipFile, copy, (index, element) => {
    const record = JSON.parse(element.toString()) as EmployeeRecord;
    hasher.hash(element, 0, element.length);
    copy.row(10);
    copy.int4(index);
    for (const text of [record.import_id, record.email, record.firstname, record.lastname]) copy.text(text);
    copy.text(record.language ?? null);
    copy.text(record.role ?? null);
    copy.int4Array((record.attributes ?? []).map(optionOf));
    copy.text(record.reports_to_id ?? null);
    copy.uuid(hasher.toBytes());
  });
  return { attributes, options: [...options.values()] };
}
