import type { Client } from '@survey/postgres/database.ts';

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
  identities: readonly NamedEmployee[],
): Promise<Map<number, 'id' | 'import_id' | 'email'>> {
  const { rows } = await tx.query<{ index: number; field: 'id' | 'import_id' | 'email' }>(FIND, [
    accountId,
    identities.map(({ id }) => id ?? null),
    identities.map(({ importId }) => importId ?? null),
    identities.map(({ email }) => email ?? null),
  ]);
  return new Map(rows.map(({ index, field }) => [index, field]));
}
