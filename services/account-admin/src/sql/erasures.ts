import { createHash } from 'node:crypto';
import type { Client } from '@survey/postgres/database.ts';
import type { EmployeeErasure, EmployeeKey } from '@survey/proto/admin/v1/admin.ts';
import { utc } from './utc.ts';

// $2: id, $3: import_id, $4: e-mail address. Those of an erased employee are known by their hashes.
const FIND = `
select e.id from imports.employee e
where e.account_id = $1::bigint and (e.id = $2::bigint or e.created_via = 'import_api' and e.import_id = $3::text)
union
select e.id from imports.employee e where e.account_id = $1::bigint and e.email_key = imports.email_key($4::text)
union
select e.id from imports.employee e
where e.account_id = $1::bigint and e.is_deleted and imports.email_key(e.email) = imports.email_key($4::text)
union
select x.employee_id from imports.erased_employee x join imports.account_state s on s.account_id = x.account_id
where x.account_id = $1::bigint and (x.import_id_hash = imports.identity_hash(s.hash_salt, 'import_id', $3::text)
  or x.email_hash = imports.identity_hash(s.hash_salt, 'email', imports.email_key($4::text)))
order by 1 limit 10`;

/** Returns the ids of the employees with this id, import_id or address, also of erased ones. */
export async function findEmployeeIds(client: Client, accountId: number, key: EmployeeKey | null): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(FIND, [
    accountId,
    key?.employee_id ?? null,
    key?.import_id ?? null,
    key?.email ?? null,
  ]);
  return rows.map(({ id }) => id);
}

/** Returns an employee's erasure with its progress, if one was requested. */
export async function findErasure(client: Client, accountId: number, employeeId: number): Promise<EmployeeErasure | undefined> {
  const { rows } = await client.query<Omit<EmployeeErasure, 'found'>>(
    `select employee_id, answers, may_return, pending_schemas, ${utc('requested_at')} as requested_at, ${utc('erased_at')} as erased_at,
       ${utc('finished_at')} as finished_at,
       case when finished_at is not null then 'finished' when erased_at is not null then 'running' else 'waiting' end as state
     from imports.erased_employee where account_id = $1::bigint and employee_id = $2::bigint`,
    [accountId, employeeId],
  );
  return rows[0] && { ...rows[0], found: [] };
}

const HASHES = (of: string): string => `
select coalesce(imports.identity_hash(s.hash_salt, 'import_id', e.import_id), sha256('')) as import_id,
  imports.identity_hash(s.hash_salt, 'email', imports.email_key(e.email)) as email
from ${of} e join imports.account_state s on s.account_id = e.account_id
where e.account_id = $1::bigint`;

/**
 * Returns hashes of an erased employee's import_id and address, until the erasure ends. Undefined
 * for an erasure by retention, which repeats itself.
 */
export async function identityOfErased(client: Client, accountId: number, employeeId: number): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ import_id: Buffer; email: Buffer }>(
    `${HASHES('imports.erased_employee')} and e.employee_id = $2::bigint and e.offboarded_at is null`,
    [accountId, employeeId],
  );
  return rows[0] && Buffer.concat([rows[0].import_id, rows[0].email]);
}

/** Returns whether this employee has the import_id or the address of a recorded erasure. */
export async function isSameEmployee(client: Client, accountId: number, employeeId: number, identity: Buffer): Promise<boolean> {
  const { rows } = await client.query<{ import_id: Buffer; email: Buffer }>(
    `${HASHES('imports.employee')} and e.id = $2::bigint`,
    [accountId, employeeId],
  );
  const [importId, email] = [identity.subarray(0, HASH_BYTES), identity.subarray(HASH_BYTES)];
  const noImportId = createHash('sha256').digest();
  return rows.some((row) => email.equals(row.email) || (importId.equals(row.import_id) && !importId.equals(noImportId)));
}

const HASH_BYTES = 32;

/** Returns everything that the services hold about an employee, by schema and kind. */
export async function readEmployeeData(client: Client, accountId: number, employeeId: number): Promise<EmployeeData> {
  const schemas = ['admin', 'imports', 'export', 'scoring', 'text'];
  const { rows } = await client.query<EmployeeData>(
    `select ${schemas.map((schema) => `${schema}.employee_data($1::bigint, $2::bigint) as ${schema}`).join(', ')}`,
    [accountId, employeeId],
  );
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0];
}

/** Objects by kind, of each schema. */
export type EmployeeData = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
