import type { Client, Queryable } from '@survey/postgres/database.ts';

// Employees may get other import_ids, for example those of a new HR system. Stored references are
// then changed with them, but the application learns of it later, so its facts go on naming the old
// import_ids for a while. Each batch of facts therefore has its references replaced by the ids of
// the employees before it is applied (rule IMPORT-IDENTITY-17). A lock that the batch shares, and
// that a change of import_ids takes alone, ensures that one batch does not see both meanings. The
// acceptance of an import shares it too, so that none begins while import_ids change.

const LOCK = `hashtextextended('imports.import_id', $1::bigint)`;

/** Waits until nobody else relies on the account's import_ids, and makes others wait. */
export async function lockImportIds(tx: Client, accountId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${LOCK})`, [accountId]);
}

/** Keeps the account's import_ids as they are until the transaction ends. */
export async function shareImportIds(tx: Queryable, accountId: number): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(${LOCK})`, [accountId]);
}

// An import_id that somebody has, or had when they were erased, never means a former one.
const FIND_FORMER = `
select wanted.import_id, f.employee_id as id
from imports.account_state s, unnest($2::text[]) as wanted (import_id) cross join lateral (
  select f.import_id_hash, f.employee_id from imports.former_import_id f
  where f.account_id = $1::bigint and f.import_id_hash = imports.identity_hash(s.hash_salt, 'import_id', wanted.import_id)
    and f.ends_at > now() offset 0
) f
where s.account_id = $1::bigint and exists (select from imports.former_import_id f where f.account_id = $1::bigint)
  and not exists (
    select from imports.employee e
    where e.account_id = $1::bigint and e.created_via = 'import_api' and e.import_id = wanted.import_id)
  and not exists (
    select from imports.erased_employee x where x.account_id = $1::bigint and x.import_id_hash = f.import_id_hash)`;

type EmployeeReference = { readonly id: number } | { readonly import_id: string };

/** The parts of a fact that refer to employees, whatever its kind. */
interface ReferringContent {
  readonly employee?: EmployeeReference;
  readonly supervisor?: EmployeeReference | null;
  readonly creator?: EmployeeReference | null;
  readonly assignee?: EmployeeReference | null;
  readonly permissions?: { readonly employees_with_access_to_results: readonly (number | EmployeeReference)[] };
}

const FIELDS = ['employee', 'supervisor', 'creator', 'assignee'] as const;

/** Returns the facts with the ids of employees in place of their former import_ids. */
export async function replaceFormerImportIds<F extends { readonly content: object }>(
  tx: Queryable,
  accountId: number,
  facts: readonly F[],
): Promise<readonly F[]> {
  const importIds = new Set(facts.flatMap(({ content }) => importIdsIn(content)));
  if (importIds.size === 0) return facts;
  await shareImportIds(tx, accountId);
  const { rows } = await tx.query<{ import_id: string; id: number }>(FIND_FORMER, [accountId, [...importIds]]);
  if (rows.length === 0) return facts;
  const ids = new Map(rows.map(({ import_id, id }) => [import_id, id]));
  return facts.map((fact) => ({ ...fact, content: withIds(fact.content, ids) }));
}

function importIdsIn(content: ReferringContent): string[] {
  const access = content.permissions?.employees_with_access_to_results ?? [];
  const references = [...FIELDS.map((field) => content[field]), ...access];
  return references.flatMap((one) => (typeof one === 'object' && one !== null && 'import_id' in one ? one.import_id : []));
}

function withIds<C extends ReferringContent>(content: C, ids: ReadonlyMap<string, number>): C {
  const withId = <T>(one: T | EmployeeReference): T | EmployeeReference => {
    const isByImportId = typeof one === 'object' && one !== null && 'import_id' in one;
    const id = isByImportId ? ids.get(one.import_id) : undefined;
    return id === undefined ? one : { id };
  };
  const changedFields = FIELDS.filter((field) => content[field] != null).map((field) => [field, withId(content[field])]);
  const access = content.permissions?.employees_with_access_to_results;
  return {
    ...content,
    ...Object.fromEntries(changedFields),
    ...(access && { permissions: { ...content.permissions, employees_with_access_to_results: access.map(withId) } }),
  };
}
