import { openWorkingTables } from '@survey/import-reconciler/apply/working-tables.ts';
import { openMapTables } from '@survey/import-reconciler/rekey/rekey-map.ts';
import type { Pool } from 'pg';

/** Rows per account of tables that grow with responses, and of most others. */
export interface AccountSize {
  readonly responses: number;
  readonly others: number;
}

// Few distinct values in an account; other columns have another value in each row.
const FEW = 20;
const WITH_FEW =
  /^(?:survey_id|cycle|cycle_id|option_set|stage|kind|level|topic_id|question_id|choice|import_uuid|attribute_id|source|table_name|field|version|policy|subject|role|language)$/;
// Tables with rows per response; the rows of an answer's response have consecutive numbers.
const PER_RESPONSE: Readonly<Record<string, number>> = {
  'imports.employee': 1,
  'export.assignment': 1,
  'scoring.response': 1,
  'scoring.respondent': 1,
  'scoring.answer': 3,
  'text.response': 1,
  'text.respondent': 1,
  'text.answer': 2,
  'text.pending': 2,
  'text.masked_text': 2,
  'text.block_answer': 2,
  'text.topic_assignment': 2,
};
// Tables that have a few rows in every account.
const SMALL = /^admin\.(?!audit|outbox|due)|^text\.(?:topic|backfill)|\.(?:deleted_rows|attribute|question|upload)$/;
const SMALL_ROWS = 50;
const RESPONSE_OF: Readonly<Record<string, string>> = { 'text.answer': 'response_id', 'scoring.answer': 'response' };
// Values that statements or partial indexes name.
const TEXTS: Readonly<Record<string, string>> = {
  stage: `(array['mask', 'categorise', 'sentiment'])[1 + n % 3]`,
  created_via: `'import_api'`,
  type: `'textfield'`,
  origin: `(array['auto', 'admin'])[1 + n % 2]`,
  role: `'Respondee'`,
  content: `'A text of a usual length, about work.'`,
};
// What is usually over; other nullable times are null, as of what still exists.
const PAST = /^(?:finished_at|erased_at|sent_at|records_deleted_at)$/;

/** The n-th UUID and digest of an account; the UUID in SQL, too. */
const UUID = (n: string): string =>
  `format('%s-0000-4000-8000-%s', lpad(to_hex(account), 8, '0'), lpad(to_hex(7919::bigint * (${n})), 12, '0'))::uuid`;
export const uuidIn = (accountId: number, n: number): string => `${hex(accountId, 8)}-0000-4000-8000-${hex(n * 7_919, 12)}`;
export const digestIn = (accountId: number, n: number): string => `${hex(accountId, 16)}${hex(n, 48)}`;
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
}

interface FilledTable {
  readonly name: string;
  readonly columns: readonly Column[];
  // Columns of unique indexes after account_id.
  readonly keys: readonly (readonly string[])[];
}

const TABLES = `
select c.oid::regclass::text as name,
  (select jsonb_agg(jsonb_build_object('name', attname, 'type', format_type(atttypid, null), 'nullable', not attnotnull) order by attnum)
   from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '') as columns,
  (select jsonb_agg((select coalesce(jsonb_agg(attname), '[]') from pg_attribute
     where attrelid = c.oid and attnum = any(i.indkey::smallint[]) and attname <> 'account_id'))
   from pg_index i where indrelid = c.oid and indisunique) as keys
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('admin', 'imports', 'export', 'scoring', 'text') and c.relkind in ('r', 'p') and not c.relispartition
  and c.oid <> 'admin.account'::regclass and exists (select from pg_attribute where attrelid = c.oid and attname = 'account_id')`;

/**
 * Prepares a database for rows that only resemble those of the services: each column has values of
 * its type, and nothing checks them. Returns what fills accounts.
 */
export async function openPlanWorld(db: Pool): Promise<PlanWorld> {
  const { rows: checks } = await db.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I cascade', conrelid::regclass, conname) as statement
     from pg_constraint c join pg_class t on t.oid = conrelid
     where contype in ('c', 'f') and conparentid = 0 and not relispartition and relnamespace::regnamespace::text in ('admin', 'imports', 'export', 'scoring', 'text')`,
  );
  for (const { statement } of checks) await db.query(statement);
  const client = await db.connect();
  await openWorkingTables(client);
  await openMapTables(client);
  client.release();
  await db.query(
    `do $$ begin execute format('grant all on all tables in schema %s to public', pg_my_temp_schema()::regnamespace); end $$`,
  );
  const { rows: tables } = await db.query<FilledTable>(TABLES);
  // Statements are explained as if their triggers did nothing, because these check what is written.
  await db.query('set session_replication_role = replica');
  return {
    create: async (count, size) => {
      const { rows } = await db.query<{ id: string }>(
        `insert into admin.account (name) select 'A' from generate_series(1, $1) returning account_id as id`,
        [count],
      );
      const accounts = rows.map(({ id }) => Number(id));
      for (const table of tables) await fill(db, table, accounts, size);
      return accounts;
    },
    refill: async (accountId, size) => {
      for (const table of tables) {
        await db.query(`delete from ${table.name} where account_id = $1`, [accountId]);
        await fill(db, table, [accountId], size);
      }
    },
    analyze: () => db.query('analyze').then(() => undefined),
  };
}

export interface PlanWorld {
  create(count: number, size: AccountSize): Promise<number[]>;
  // Deletes the rows of an account and writes them again.
  refill(accountId: number, size: AccountSize): Promise<void>;
  analyze(): Promise<void>;
}

async function fill(
  db: Pool,
  { name, columns, keys }: FilledTable,
  accounts: readonly number[],
  size: AccountSize,
): Promise<void> {
  const perResponse = PER_RESPONSE[name];
  // A table whose key is the account has one row.
  const isSingle = keys.some((key) => key.length === 0);
  const usual = isSingle ? 1 : SMALL.test(name) ? Math.min(SMALL_ROWS, size.others) : size.others;
  const rows = perResponse === undefined ? usual : perResponse * size.responses;
  const own = keys.flatMap((key) => (key.every((column) => WITH_FEW.test(column)) ? key.slice(-1) : []));
  const values = columns.map((column) => (column.name === 'account_id' ? 'account' : valueOf(name, column, own)));
  await db.query(
    `insert into ${name} (${columns
      .map((column) => column.name)
      .map((column) => `"${column}"`)
      .join(', ')})
     select ${values.join(', ')} from unnest($1::bigint[]) account, generate_series(1, $2::bigint) n`,
    [accounts, rows],
  );
}

function valueOf(table: string, { name, type, nullable }: Column, own: readonly string[]): string {
  const few = WITH_FEW.test(name) && !own.includes(name);
  const n = name === RESPONSE_OF[table] ? `1 + (n - 1) / ${PER_RESPONSE[table]}` : few ? `1 + n % ${FEW}` : 'n';
  switch (type) {
    case 'bigint':
    case 'integer':
    case 'numeric':
    case 'real':
      return `(${n})`;
    case 'smallint':
      return `(1 + n % ${FEW})`;
    case 'uuid':
      return UUID(n);
    case 'text':
      return own.includes(name) ? `'v' || n` : (TEXTS[name] ?? `'v' || (${n})`);
    case 'boolean':
      return 'false';
    case 'bytea':
      return `decode(lpad(to_hex(account), 16, '0') || lpad(to_hex(${n}), 48, '0'), 'hex')`;
    case 'bytea[]':
      return `array[decode(lpad(to_hex(${n}), 64, '0'), 'hex')]`;
    case 'jsonb':
      return /^(?:name|keywords|before|after)$/.test(name) ? `'{}'` : `'[]'`;
    case 'date':
      return `date '2026-01-01'`;
    case 'timestamp with time zone':
      return nullable && !PAST.test(name) ? 'null' : `timestamptz '2026-01-01' + n * interval '1 second'`;
    case 'text[]':
      return `array['v1']`;
    case 'integer[]':
    case 'bigint[]':
      return `array[1 + n % ${FEW}]`;
    default:
      throw new Error(`no value for ${table}.${name} of type ${type}`);
  }
}
