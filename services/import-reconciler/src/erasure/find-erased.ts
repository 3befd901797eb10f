import type { Client } from '@survey/postgres/database.ts';

/**
 * Requests the erasure of an employee, once. Returns false when the account has no such employee.
 */
export async function requestErasure(tx: Client, accountId: number, employeeId: number, answers: string): Promise<boolean> {
  await tx.query(
    `insert into imports.erased_employee (account_id, employee_id, answers)
     select e.account_id, e.id, $3::text from imports.employee e where e.account_id = $1::bigint and e.id = $2::bigint
     on conflict do nothing`,
    [accountId, employeeId, answers],
  );
  const { rowCount } = await tx.query(
    'select from imports.erased_employee where account_id = $1::bigint and employee_id = $2::bigint',
    [accountId, employeeId],
  );
  return rowCount === 1;
}

const REQUEST_EXPIRED = `
with expired as (
  select e.id, e.offboarded_at from imports.employee e
  where e.account_id = $1::bigint
    and e.offboarded_at < now() - $2::float8 * interval '1 day'
    and not exists (select from imports.erased_employee x where x.account_id = $1::bigint and x.employee_id = e.id)
  order by e.offboarded_at limit greatest(0, $3::bigint - (
    select count(*) from imports.erased_employee x where x.account_id = $1::bigint and x.finished_at is null))
)
insert into imports.erased_employee (account_id, employee_id, answers, may_return, offboarded_at)
select $1::bigint, e.id, coalesce(
    (select s.erased_answers from admin.settings s where s.account_id = $1::bigint order by s.version desc limit 1), 'anonymise'),
  true, e.offboarded_at
from expired e returning 1`;

/**
 * Requests the erasure of employees who were offboarded longer ago than the account keeps them
 * (rule DATA-RETENTION-1), until `maxUnfinished` erasures are unfinished. Returns their number.
 */
export async function requestExpired(
  tx: Client,
  accountId: number,
  { defaultDays, maxUnfinished }: { readonly defaultDays: number; readonly maxUnfinished: number },
): Promise<number> {
  const { rows } = await tx.query<{ days: number | null }>(
    "select admin.retention_days($1::bigint, 'offboarded', $2::float8) as days",
    [accountId, defaultDays],
  );
  const { rowCount } = await tx.query(REQUEST_EXPIRED, [accountId, rows[0]?.days, maxUnfinished]);
  return rowCount ?? 0;
}

/** Lets an erased employee return: deletes what would recognise them (rule DATA-ERASURE-4). */
export async function allowReturn(tx: Client, accountId: number, employeeId: number): Promise<void> {
  await tx.query(
    `update imports.erased_employee set may_return = true, import_id_hash = null, email_hash = null
     where account_id = $1::bigint and employee_id = $2::bigint`,
    [accountId, employeeId],
  );
}

/** Returns whether the account has erased employees. */
export async function hasErasedEmployees(tx: Client, accountId: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from imports.erased_employee where account_id = $1::bigint and erased_at is not null limit 1',
    [accountId],
  );
  return rowCount === 1;
}

/** How a record or a fact names an employee. */
export interface NamedEmployee {
  readonly id?: number;
  readonly importId?: string;
  readonly email?: string;
}

const FIND = `
with named as materialized (
  select n.ordinal, n.id, imports.identity_hash(s.hash_salt, 'import_id', n.import_id) as import_id_hash,
    imports.identity_hash(s.hash_salt, 'email', imports.email_key(n.email)) as email_hash
  from unnest($2::bigint[], $3::text[], $4::text[]) with ordinality n (id, import_id, email, ordinal)
  join imports.account_state s on s.account_id = $1::bigint
)
select n.ordinal - 1 as index, x.field
from named n cross join lateral (
  select 'id' as field from imports.erased_employee x
  where x.account_id = $1::bigint and x.employee_id = n.id and x.erased_at is not null
  union all
  select 'import_id' from imports.erased_employee x where x.account_id = $1::bigint and x.import_id_hash = n.import_id_hash
  union all
  select 'email' from imports.erased_employee x where x.account_id = $1::bigint and x.email_hash = n.email_hash
) x`;

/**
 * Returns by index which of these are erased employees, and by which field (rule DATA-ERASURE-4).
 */
export async function findErased(
  tx: Client,
  accountId: number,
  named: readonly NamedEmployee[],
): Promise<Map<number, 'id' | 'import_id' | 'email'>> {
  const { rows } = await tx.query<{ index: number; field: 'id' | 'import_id' | 'email' }>(FIND, [
    accountId,
    named.map(({ id }) => id ?? null),
    named.map(({ importId }) => importId ?? null),
    named.map(({ email }) => email ?? null),
  ]);
  return new Map(rows.map(({ index, field }) => [index, field]));
}
