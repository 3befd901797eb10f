import { inTransaction } from '@survey/postgres/database.ts';
import type { Pool, PoolClient } from 'pg';

interface ArrangedEmployee {
  // Below 1e9, as the application assigns it; default: created by the import API.
  readonly id?: number;
  readonly createdVia?: 'app' | 'file' | 'sftp' | 'hcm';
  readonly importId?: string | null;
  readonly email: string;
  readonly firstname?: string | null;
  readonly lastname?: string | null;
  readonly role?: string | null;
  readonly isDeleted?: boolean;
  readonly optionIds?: readonly number[];
}

// Adds an employee as the application does: next position and id, under the account's lock.
const ARRANGE = `
with state as (
  insert into imports.account_state as s (account_id, employees, next_employee_id) values ($1::bigint, 1, 1000000001)
  on conflict (account_id) do update set employees = s.employees + 1, next_employee_id = s.next_employee_id + 1
  returning employees as position, coalesce($10::bigint, next_employee_id - 1) as id
), counted as (
  insert into imports.employee_block as b (account_id, level, block, row_count)
  select $1::bigint, level, state.id >> bits, 1 from state, (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
  on conflict (account_id, level, block) do update set row_count = b.row_count + 1
)
insert into imports.employee
  (account_id, id, position, created_via, import_id, email, email_key, firstname, lastname, role, is_deleted, option_ids)
select $1::bigint, id, position, $2::text, $3::text, $4::text, case when $8::boolean then null else imports.email_key($4::text) end,
  $5::text, $6::text, $7::text, $8::boolean, $9::integer[]
from state returning id`;

/** Adds an employee that the import API did not create. Returns the internal id. */
export async function arrangeEmployee(db: Pool | PoolClient, accountId: number, who: ArrangedEmployee): Promise<number> {
  const { createdVia = 'app', importId = null, email, firstname = null, lastname = null, role = null } = who;
  const { id = null, isDeleted = false, optionIds = [] } = who;
  const values = [accountId, createdVia, importId, email, firstname, lastname, role, isDeleted, optionIds, id];
  const { rows } = await db.query<{ id: string }>(ARRANGE, values);
  return Number(rows[0]?.id);
}

/** Adds `count` app-created employees, Person 1 … Person count. */
export async function arrangeEmployees(
  db: Pool,
  accountId: number,
  count: number,
  optionIds: readonly number[] = [],
): Promise<void> {
  await db.query(
    `insert into imports.account_state (account_id, employees, next_employee_id) values ($1::bigint, $2::integer, 1000000000 + $2::integer)`,
    [accountId, count],
  );
  await db.query(
    `insert into imports.employee (account_id, id, position, created_via, email, email_key, firstname, lastname, option_ids)
     select $1::bigint, 1000000000 + n - 1, n, 'app', 'p' || n || '@x.io', 'p' || n || '@x.io', 'Person', n::text, $3::integer[]
     from generate_series(1, $2::integer) n`,
    [accountId, count, optionIds],
  );
  await db.query(
    `insert into imports.employee_block (account_id, level, block, row_count)
     select $1::bigint, level, id >> bits, count(*)
     from imports.employee, (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
     where account_id = $1::bigint group by 1, 2, 3`,
    [accountId],
  );
}

/** Adds app-created employees with these ids at once: one by one takes minutes on a cluster. */
export async function arrangeRespondents(db: Pool, accountId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ employees: number }>(
      `insert into imports.account_state as s (account_id, employees, next_employee_id)
       values ($1::bigint, $2::integer, 1000000000 + $2::integer)
       on conflict (account_id) do update set employees = s.employees + excluded.employees,
         next_employee_id = s.next_employee_id + excluded.employees
       returning employees`,
      [accountId, ids.length],
    );
    await tx.query(
      `insert into imports.employee (account_id, id, position, created_via, email, email_key)
       select $1::bigint, id, $3::integer + n, 'app', 'respondent-' || id || '@x.io', 'respondent-' || id || '@x.io'
       from unnest($2::bigint[]) with ordinality as i (id, n)`,
      [accountId, ids, (rows[0]?.employees ?? 0) - ids.length],
    );
    await tx.query(
      `insert into imports.employee_block as b (account_id, level, block, row_count)
       select $1::bigint, level, id >> bits, count(*)
       from unnest($2::bigint[]) as i (id), (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits)
       group by 2, 3
       on conflict (account_id, level, block) do update set row_count = b.row_count + excluded.row_count`,
      [accountId, ids],
    );
  });
}

/**
 * Adds attributes with options: {Department: ['Sales', 'IT']}. Returns the option ids in that
 * order.
 */
export async function arrangeAttributes(
  db: Pool,
  accountId: number,
  attributes: Readonly<Record<string, readonly string[]>>,
): Promise<number[]> {
  const names = Object.keys(attributes);
  const options = names.flatMap((name, index) => (attributes[name] ?? []).map((option) => ({ option, attributeId: index + 1 })));
  await db.query(
    `insert into imports.account_state as s (account_id, next_attribute_id, next_option_id, dictionary_version)
     values ($1::bigint, $2::integer, $3::integer, 1)
     on conflict (account_id) do update set next_attribute_id = $2, next_option_id = $3, dictionary_version = s.dictionary_version + 1`,
    [accountId, names.length + 1, options.length + 1],
  );
  await db.query(
    `insert into imports.attribute (account_id, id, name, name_key)
     select $1::bigint, i, name, lower(name) from unnest($2::text[]) with ordinality a (name, i)`,
    [accountId, names],
  );
  const { rows } = await db.query<{ id: number }>(
    `insert into imports.attribute_option (account_id, id, attribute_id, name)
     select $1::bigint, i, attribute_id, name
     from unnest($2::text[], $3::integer[]) with ordinality o (name, attribute_id, i) returning id`,
    [accountId, options.map(({ option }) => option), options.map(({ attributeId }) => attributeId)],
  );
  return rows.map(({ id }) => id);
}

/** An open transaction that edits the account's employees. */
interface Hold extends AsyncDisposable {
  // Runs SQL in the transaction that holds the lock.
  work<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  letGo(): Promise<void>;
}

/**
 * Locks the account's employees as an edit in the app does. Imports are accepted meanwhile, and
 * wait.
 */
export async function holdAccount(db: Pool, accountId: number): Promise<Hold> {
  const client = await db.connect();
  await client.query('insert into imports.account_state (account_id) values ($1) on conflict do nothing', [accountId]);
  await client.query('begin');
  await client.query('select from imports.account_state where account_id = $1 for update', [accountId]);
  let released: Promise<void> | undefined;
  const letGo = (): Promise<void> => (released ??= client.query('commit').then(() => client.release()));
  return { work: (work) => work(client), letGo, [Symbol.asyncDispose]: letGo };
}
