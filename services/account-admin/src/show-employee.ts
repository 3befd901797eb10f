import type { Client, Pool } from '@survey/postgres/database.ts';
import type {
  Access,
  Employee,
  Grant,
  ShowAccessRequest,
  ShowEmployeeRequest,
  VisibleEmployee,
} from '@survey/proto/admin/v1/admin.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { audit, type AuditAction } from './write-audit.ts';
import { withLockedAccount } from './with-account.ts';

/** An employee and their grants, including grants without effect. */
interface EmployeeAccess {
  readonly employee_id: number;
  readonly role: string | null;
  readonly is_deleted: boolean;
  readonly all_data: boolean;
  readonly grants: Grant[];
}

const VIEWER = `
select e.id as employee_id, e.role, e.is_deleted, e.all_data, (
  select coalesce(jsonb_agg(jsonb_build_object('attribute', g.attribute, 'values', g.values) order by g.attribute_id), '[]')
  from (
    select a.id as attribute_id, a.name as attribute, jsonb_agg(o.name order by o.id) as values
    from imports.attribute_option o
    join imports.attribute a on a.account_id = o.account_id and a.id = o.attribute_id
    where o.account_id = $1::bigint and o.id = any(e.granted_option_ids)
    group by a.id, a.name
  ) g
) as grants
from imports.employee e
where e.account_id = $1::bigint and (e.id = $2::bigint or e.import_id = $3::text and e.created_via = 'import_api')`;

/** Returns the employee with this id, or with this import_id of the import API. */
async function findEmployeeAccess(
  client: Client,
  accountId: number,
  { id, importId }: { id: number | null; importId: string | null },
): Promise<EmployeeAccess | undefined> {
  const { rows } = await client.query<EmployeeAccess>(VIEWER, [accountId, id, importId]);
  return rows[0];
}

// Values of one attribute are alternatives, and all attributes must match (rule
// IMPORT-GRANTS-SCOPE-1). Without grants, no employee is visible (rules IMPORT-GRANTS-PERMISSIONS-1
// and IMPORT-GRANTS-SCOPE-3).
const SEEN = `
with granted as (
  select array_agg(o.id) as option_ids
  from imports.employee viewer
  join imports.attribute_option o on o.account_id = viewer.account_id and o.id = any(viewer.granted_option_ids)
  where viewer.account_id = $1::bigint and viewer.id = $2::bigint and not viewer.all_data
  group by o.attribute_id
), seen as (
  select e.id, e.import_id, e.is_deleted
  from imports.employee e, imports.employee viewer
  where e.account_id = $1::bigint and viewer.account_id = $1::bigint and viewer.id = $2::bigint
    and not viewer.is_deleted and viewer.role is distinct from 'Respondee'
    and (viewer.all_data or exists (select from granted) and not exists (select from granted g where not e.option_ids && g.option_ids))
)
select (select count(*) from seen) as sees_total, (
  select coalesce(jsonb_agg(jsonb_build_object('employee_id', s.id, 'import_id', s.import_id, 'is_deleted', s.is_deleted) order by s.id), '[]')
  from (select * from seen order by id limit $3::bigint) s
) as sees`;

/**
 * Returns the number of employees whose data the employee may see, including offboarded ones, and
 * the first of them by id.
 */
async function listVisibleEmployees(
  client: Client,
  accountId: number,
  employeeId: number,
  limit: number,
): Promise<{ sees_total: number; sees: VisibleEmployee[] }> {
  const { rows } = await client.query<{ sees_total: number; sees: VisibleEmployee[] }>(SEEN, [accountId, employeeId, limit]);
  return rows[0] ?? { sees_total: 0, sees: [] };
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 10_000;

/**
 * Returns what an employee was granted, and which employees they may see (rules
 * IMPORT-GRANTS-ROLE-2, IMPORT-GRANTS-PERMISSIONS-1, IMPORT-GRANTS-SCOPE-1 and
 * IMPORT-GRANTS-SCOPE-2).
 * @throws `not_found` when the employee does not exist.
 */
export const showAccess =
  (pool: Pool) =>
  async ({ account_id: accountId, import_id, employee_id, limit }: ShowAccessRequest, call: CallContext): Promise<Access> => {
    if (import_id == null && employee_id == null) throw invalid('import_id or employee_id is required');
    const atMost = limit ?? DEFAULT_LIMIT;
    if (atMost < 0 || atMost > MAX_LIMIT) throw invalid(`limit must be 0 to ${MAX_LIMIT}`);
    return withLockedAccount(pool, call, accountId, async (client) => {
      const viewer = await findEmployeeAccess(client, accountId, { id: employee_id ?? null, importId: import_id ?? null });
      if (viewer === undefined) throw notFound(`account ${accountId} has no such employee`);
      await auditLook(client, call, accountId, 'employee.access', viewer);
      return { ...viewer, ...(await listVisibleEmployees(client, accountId, viewer.employee_id, atMost)) };
    });
  };

const EMPLOYEE = `
select e.id as employee_id, e.import_id, e.created_via, e.is_deleted, e.role, e.language,
       case when s.id is not null
            then jsonb_build_object('employee_id', s.id, 'import_id', s.import_id, 'is_deleted', s.is_deleted) end as supervisor
from imports.employee e
left join imports.employee s on s.account_id = e.account_id and s.id = e.supervisor_id
where e.account_id = $1::bigint and (e.id = $2::bigint or e.import_id = $3::text and e.created_via = 'import_api')`;

/** Returns the employee with this id, or with this import_id of the import API. */
async function findEmployee(
  client: Client,
  accountId: number,
  { id, importId }: { id: number | null; importId: string | null },
): Promise<Employee | undefined> {
  const { rows } = await client.query<Employee>(EMPLOYEE, [accountId, id, importId]);
  return rows[0];
}

/**
 * Returns the origin, the language and the supervisor of an employee.
 * @throws `not_found`
 */
export const showEmployee =
  (pool: Pool) =>
  async ({ account_id: accountId, import_id, employee_id }: ShowEmployeeRequest, call: CallContext): Promise<Employee> => {
    if (import_id == null && employee_id == null) throw invalid('import_id or employee_id is required');
    return withLockedAccount(pool, call, accountId, async (client) => {
      const employee = await findEmployee(client, accountId, { id: employee_id ?? null, importId: import_id ?? null });
      if (employee === undefined) throw notFound(`account ${accountId} has no such employee`);
      await auditLook(client, call, accountId, 'employee.show', employee);
      return employee;
    });
  };

// An operator's look at one person is recorded in the transaction that reads it.
async function auditLook(
  client: Client,
  call: CallContext,
  accountId: number,
  action: AuditAction,
  { employee_id }: { readonly employee_id: number },
): Promise<void> {
  await audit(client, call, { accountId, action, before: null, after: { employee_id } });
}
