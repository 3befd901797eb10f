import { BATCH_SIZE, columnsOf } from '@survey/bus/facts/deferred-facts.ts';
import { MAX_LOOKED_AT } from '@survey/bus/facts/retry-deferred.ts';
import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import type { Client } from '@survey/postgres/database.ts';
import type { EmployeeFact } from '../rules/employee-fact.ts';

/** The supervisor that a fact assigns to an employee; null for none. */
interface SupervisorChange {
  readonly employeeId: number;
  readonly reference: EmployeeReference | null;
  readonly by: EmployeeFact;
}

/**
 * Assigns supervisors. A supervisor that does not exist yet is deferred; until then the employee
 * has none, and the next import reads their record again, which may discard the fact.
 */
export async function saveSupervisors(tx: Client, accountId: number, changes: readonly SupervisorChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `with stated as materialized (
       select s.*, ${MEANT} as supervisor_id
       from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint[])
         as s (employee_id, named_id, named_import_id, revision, digest, fact, source, line)
     ), given as (
       update imports.employee e set supervisor_id = nullif(s.supervisor_id, e.id), content_hash = null
       from stated s
       where e.account_id = $1 and e.id = s.employee_id
         and (s.supervisor_id is null or e.supervisor_id is distinct from nullif(s.supervisor_id, e.id))
     ), outdated as (
       delete from imports.deferred_fact where account_id = $1 and kind = 'supervisor' and object_id = any(array(
         select employee_id::text from stated where supervisor_id is not null or num_nonnulls(named_id, named_import_id) = 0))
     )
     insert into imports.deferred_fact (account_id, kind, object_id, revision, digest, employee_id, employee_import_id, fact, source, line)
     select $1, 'supervisor', employee_id::text, revision, digest, named_id, named_import_id, fact, source, line
     from stated where supervisor_id is null and num_nonnulls(named_id, named_import_id) = 1
     on conflict (account_id, kind, object_id) do update
     set revision = excluded.revision, digest = excluded.digest, employee_id = excluded.employee_id,
         employee_import_id = excluded.employee_import_id, fact = excluded.fact, source = excluded.source, line = excluded.line`,
    [
      accountId,
      changes.map(({ employeeId }) => employeeId),
      changes.map(({ reference }) => (reference !== null && 'id' in reference ? reference.id : null)),
      changes.map(({ reference }) => (reference !== null && 'import_id' in reference ? reference.import_id : null)),
      ...columnsOf(changes.map(({ by }) => by)),
    ],
  );
}

// Resolves ids of any employee, and import_ids of the import API. Includes deleted employees, so
// the result does not depend on timing.
const MEANT = `coalesce(
  (select id from imports.employee where account_id = $1 and id = s.named_id),
  (select id from imports.employee where account_id = $1 and created_via = 'import_api' and import_id = s.named_import_id))`;

/**
 * Assigns a batch of the deferred supervisors that exist now: either supervisors with one of
 * these ids, or the supervisors of the employees after the last one of the batch before. Without
 * ids, looks at a limited number of employees. Returns the affected ones, and the last one
 * looked at if there are more.
 */
export async function assignDeferredSupervisors(
  tx: Client,
  accountId: number,
  { ids, after = '' }: { readonly ids?: ReadonlySet<number>; readonly after?: string } = {},
): Promise<{ readonly supervisedIds: readonly number[]; readonly last: string | undefined }> {
  const selectWaiting = `
    select object_id, employee_id as named_id, employee_import_id as named_import_id
    from imports.deferred_fact where account_id = $1 and kind = 'supervisor'`;
  const selectNext = `${selectWaiting} and object_id > $2 order by object_id`;
  // Must run first, because the next statement deletes rows that this one looks at.
  const end = ids === undefined ? await lastSupervisorLookedAt(tx, selectNext, [accountId, after]) : undefined;
  const { rows } = await tx.query<{ employee_id: number; object_id: string }>(
    `with come as materialized (
       select s.object_id, s.object_id::bigint as employee_id, m.supervisor_id
       from (${
         ids === undefined
           ? `${selectNext} limit ${MAX_LOOKED_AT}`
           : `select w.* from unnest($2::bigint[]) as boss (id) cross join lateral (${selectWaiting} and employee_id = boss.id offset 0) w`
       }) s
       cross join lateral (select ${MEANT} as supervisor_id) m
       where m.supervisor_id is not null limit ${BATCH_SIZE}
     ), done as (
       delete from imports.deferred_fact w using come c
       where w.account_id = $1 and w.kind = 'supervisor' and w.object_id = c.object_id
     ), assigned as (
       update imports.employee e set supervisor_id = nullif(c.supervisor_id, e.id), content_hash = null
       from come c
       where e.account_id = $1 and e.id = c.employee_id
     )
     select employee_id, object_id from come order by object_id`,
    [accountId, ids === undefined ? after : [...ids]],
  );
  return { supervisedIds: rows.map(({ employee_id }) => employee_id), last: rows[BATCH_SIZE - 1]?.object_id ?? end };
}

async function lastSupervisorLookedAt(tx: Client, lookedAt: string, values: readonly unknown[]): Promise<string | undefined> {
  const { rows } = await tx.query<{ object_id: string }>(
    `select object_id from (${lookedAt}) w offset ${MAX_LOOKED_AT - 1} limit 1`,
    [...values],
  );
  return rows[0]?.object_id;
}
