import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { enqueue } from '@survey/bus/outbox.ts';
import { allowLongStatements, type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { EmployeeErased } from '@survey/proto/events/v1/events.ts';
import { isImportRunning } from '../apply/import-lifecycle.ts';
import { AccountBusyError, lockForFacts, renewEmployeesVersion } from '../tables/account-lock.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { EraseEmployeeRequest, EraseEmployeeResponse } from '@survey/proto/imports/v1/imports.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import { accountOf, type CallContext } from '@survey/rpc/call-context.ts';

/**
 * Requests the erasure of an employee, which begins when no import is running (rule
 * DATA-ERASURE-1).
 * @throws `not_found`
 */
export const queueErasure =
  (pool: Pool, wake: () => void) =>
  async (request: EraseEmployeeRequest, call: CallContext): Promise<EraseEmployeeResponse> => {
    const accountId = accountOf(call);
    const { employee_id: employeeId, answers, may_return: mayReturn } = request;
    await inAccount(pool, accountId, async (tx) => {
      if (!(await insertErasure(tx, accountId, employeeId, answers)))
        throw notFound(`account ${accountId} has no employee ${employeeId}`);
      if (mayReturn) await allowReturn(tx, accountId, employeeId);
      await markDue(tx, 'imports', 'erase-employee', [accountId]);
    });
    wake();
    return {};
  };

// Returns false when the account has no such employee. Requests an erasure only once.
async function insertErasure(tx: Client, accountId: number, employeeId: number, answers: string): Promise<boolean> {
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

// Deletes what would recognise an erased employee who returns (rule DATA-ERASURE-4).
async function allowReturn(tx: Client, accountId: number, employeeId: number): Promise<void> {
  await tx.query(
    `update imports.erased_employee set may_return = true, import_id_hash = null, email_hash = null
     where account_id = $1::bigint and employee_id = $2::bigint`,
    [accountId, employeeId],
  );
}

const BUSY_RETRY_MS = 1_000;
// Enough to read all employees and results of the account, which have no index for this.
const MAX_STATEMENT_MS = 60_000;

/**
 * Empties the employee's row while no import of the account is running, which makes the other
 * services erase theirs, then deletes what else this schema holds (rule DATA-ERASURE-1). Returns
 * when to try again while an import is running.
 */
export const eraseEmployeeData =
  (pool: Pool, wake: (accountId: number) => void) =>
  async ({ accountId, employeeId }: Erasure): Promise<number | undefined> => {
    try {
      if (!(await inAccount(pool, accountId, (tx) => empty(tx, accountId, employeeId)))) return BUSY_RETRY_MS;
    } catch (error) {
      if (error instanceof AccountBusyError) return BUSY_RETRY_MS;
      throw error;
    }
    wake(accountId);
    await failpoint('erase.employee_emptied');
    await inAccount(pool, accountId, async (tx) => {
      await allowLongStatements(tx, MAX_STATEMENT_MS);
      await deleteRestOfEmployee(tx, accountId, employeeId);
    });
    await failpoint('erase.results_deleted');
    return undefined;
  };

// Returns false while an import is running: its body contains the employee.
async function empty(tx: Client, accountId: number, employeeId: number): Promise<boolean> {
  if (!(await lockWithoutImport(tx, accountId))) return false;
  await emptyEmployee(tx, accountId, employeeId);
  await failpoint('erase.employee_changed');
  return true;
}

/**
 * Locks the account to empty rows of employees. Returns false while an import is running.
 * @throws AccountBusyError
 */
export async function lockWithoutImport(tx: Client, accountId: number): Promise<boolean> {
  await lockForFacts(tx, accountId);
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  return !(await isImportRunning(tx, accountId));
}

// $1: account, $2: employee. An address that another employee has now must not skip that employee.
const KEEP_IDENTITY = `
update imports.erased_employee x set erased_at = statement_timestamp(), email = e.email, firstname = e.firstname, lastname = e.lastname,
  import_id = case when e.created_via = 'import_api' then e.import_id end,
  import_id_hash = case when e.created_via = 'import_api' and not x.may_return
    then imports.identity_hash(s.hash_salt, 'import_id', e.import_id) end,
  email_hash = case when not x.may_return and not exists (
      select from imports.employee o
      where o.account_id = $1::bigint and o.email_key = imports.email_key(e.email) and o.id <> e.id)
    then imports.identity_hash(s.hash_salt, 'email', nullif(imports.email_key(e.email), '')) end
from imports.employee e join imports.account_state s on s.account_id = e.account_id
where x.account_id = $1::bigint and x.employee_id = $2::bigint and x.erased_at is null
  and e.account_id = x.account_id and e.id = x.employee_id
returning (select array_agg(o) from unnest(e.option_ids || e.granted_option_ids) o) as option_ids`;

// Renames only options that no other employee has or may see, with their former names.
const RENAME_OPTIONS = `
with shared as (
  select distinct o.id
  from imports.employee e cross join unnest(e.option_ids || e.granted_option_ids) o (id)
  where e.account_id = $1::bigint and e.id <> $2::bigint and (e.option_ids && $3::integer[] or e.granted_option_ids && $3::integer[])
), renamed as (
  update imports.attribute_option o set name = 'erased ' || o.id
  where o.account_id = $1::bigint and o.id = any($3::integer[]) and o.id not in (select id from shared)
  returning o.id
), former as (
  update imports.option_alias m set name = 'erased ' || m.id, is_mapped = false
  from renamed r where m.account_id = $1::bigint and m.option_id = r.id
), pending as (
  delete from imports.value_change c using renamed r where c.account_id = $1::bigint and c.option_id = r.id
)
update imports.account_state set dictionary_version = dictionary_version + 1
where account_id = $1::bigint and exists (select from renamed)`;

const EMPTY = [
  `update imports.employee set supervisor_id = null, content_hash = null
   where account_id = $1::bigint and supervisor_id = $2::bigint`,
  `update imports.employee set import_id = null, email = '', email_key = null, firstname = null, lastname = null, language = null,
     role = null, is_deleted = true, offboarded_at = null, supervisor_id = null, sends_supervisor = false, option_ids = '{}', all_data = false,
     granted_option_ids = '{}', content_hash = null
   where account_id = $1::bigint and id = $2::bigint`,
  'delete from imports.employee_revision where account_id = $1::bigint and employee_id = $2::bigint',
];

/**
 * Empties an employee's row, and moves to imports.erased_employee what other services need to find
 * the rest. Requires lockWithoutImport. Does nothing when that is done already.
 */
export async function emptyEmployee(tx: Client, accountId: number, employeeId: number): Promise<void> {
  const { rows } = await tx.query<{ option_ids: number[] | null }>(KEEP_IDENTITY, [accountId, employeeId]);
  if (rows[0] === undefined) return;
  await tx.query(RENAME_OPTIONS, [accountId, employeeId, rows[0].option_ids ?? []]);
  for (const statement of EMPTY) await tx.query(statement, [accountId, employeeId]);
  await renewEmployeesVersion(tx, accountId);
  const payload = EmployeeErased.encode({ account_id: accountId, employee_id: employeeId }).finish();
  await enqueue(tx, 'imports', accountId, [{ subject: 'events.employee.erased', payload }]);
}

const IMPORT_ID = '(select import_id from imports.erased_employee where account_id = $1::bigint and employee_id = $2::bigint)';

const DELETE_REST = [
  `delete from imports.deferred_fact
   where account_id = $1::bigint and (employee_id = $2::bigint or employee_import_id = ${IMPORT_ID}
     or kind = 'supervisor' and object_id = $2::bigint::text)`,
  `delete from imports.record_result where account_id = $1::bigint and import_id = ${IMPORT_ID}`,
  'delete from imports.offboarding where account_id = $1::bigint and employee_id = $2::bigint',
  `update imports.mail set sent_to = array_remove(sent_to, $2::bigint)
   where account_id = $1::bigint and $2::bigint = any(sent_to)`,
  // A body contains every employee of its snapshot. After an erasure by retention, a body that
  // arrived after the offboarding is kept: if it has the employee, the customer has sent it again.
  `with kept as (
     update imports.import i set body_kept_until = null
     from imports.erased_employee x
     where i.account_id = $1::bigint and i.body_kept_until is not null and x.account_id = i.account_id and x.employee_id = $2::bigint
       and i.accepted_at <= coalesce(x.offboarded_at, 'infinity')
     returning i.import_uuid
   )
   delete from imports.payload p using kept k where p.account_id = $1::bigint and p.import_uuid = k.import_uuid`,
];

/** Deletes facts, results, mails and kept bodies about an employee whose row is empty. */
async function deleteRestOfEmployee(tx: Client, accountId: number, employeeId: number): Promise<void> {
  for (const statement of DELETE_REST) await tx.query(statement, [accountId, employeeId]);
}
