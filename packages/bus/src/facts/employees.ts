import type { EmployeeReference } from '../lines/values.ts';
import type { Queryable } from '@survey/postgres/database.ts';

export interface FoundEmployee {
  readonly id: number;
  // Current options.
  readonly optionIds: readonly number[];
  // Facts about an erased employee are rejected (rule DATA-ERASURE-3).
  readonly isErased: boolean;
}

/** Returns the value of deferred_fact.missing_object for the employee. */
export function employeeKey(reference: EmployeeReference): string {
  return 'id' in reference ? `employee ${reference.id}` : `import_id ${reference.import_id}`;
}

// "offset 0" forces one index lookup per employee. Without statistics for a new account, PostgreSQL
// would expect few employees and scan all of them for each batch.
const FIND_EMPLOYEES = `
select 'employee ' || e.id as key, e.id, e.option_ids as "optionIds", e.erased as "isErased"
from unnest($2::bigint[]) as wanted (id) cross join lateral (
  select e.id, e.option_ids, exists (select from imports.erased_employee x
    where x.account_id = $1::bigint and x.employee_id = e.id and x.erased_at is not null) as erased
  from imports.employee e where e.account_id = $1::bigint and e.id = wanted.id offset 0
) e
union all
select 'import_id ' || wanted.import_id, e.id, e.option_ids, false
from unnest($3::text[]) as wanted (import_id) cross join lateral (
  select e.id, e.option_ids from imports.employee e
  where e.account_id = $1::bigint and e.created_via = 'import_api' and e.import_id = wanted.import_id offset 0
) e
union all
select 'import_id ' || wanted.import_id, 0, '{}', true
from imports.account_state s, unnest($3::text[]) as wanted (import_id) cross join lateral (
  select from imports.erased_employee x
  where x.account_id = $1::bigint and x.import_id_hash = imports.identity_hash(s.hash_salt, 'import_id', wanted.import_id) offset 0) x
where s.account_id = $1::bigint and exists (select from imports.erased_employee x where x.account_id = $1::bigint)`;

/**
 * Finds employees by their keys, offboarded ones included: their responses count (rule
 * IMPORT-IDENTITY-8). An import_id refers to an employee of the import API.
 */
export async function findEmployees(
  db: Queryable,
  accountId: number,
  references: readonly EmployeeReference[],
): Promise<Map<string, FoundEmployee>> {
  if (references.length === 0) return new Map();
  const ids = references.flatMap((reference) => ('id' in reference ? reference.id : []));
  const importIds = references.flatMap((reference) => ('id' in reference ? [] : reference.import_id));
  const { rows } = await db.query<FoundEmployee & { key: string }>(FIND_EMPLOYEES, [accountId, unique(ids), unique(importIds)]);
  return new Map(rows.map((row) => [row.key, row]));
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
