import { createHash } from 'node:crypto';
import type { AccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { recordedErasures, recordErasure, type RecordedErasure } from '@survey/bus/deleted-accounts.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import type {
  DeletedRows,
  EmployeeErasure,
  EmployeeKey,
  EraseEmployeeRequest,
  ExportEmployeeRequest,
  ExportEmployeeResponse,
  ReplayedErasure,
  ReplayEmployeeErasuresRequest,
  ReplayEmployeeErasuresResponse,
  ShowEmployeeErasureRequest,
} from '@survey/proto/admin/v1/admin.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { audit } from './write-audit.ts';
import { callService } from './call-service.ts';
import { currentSettings } from './settings/account-settings.ts';
import { utc } from './sql-text.ts';
import { withAccount, withLockedAccount } from './with-account.ts';

/**
 * Requests the erasure of one employee (rule DATA-ERASURE-1), or counts what it would erase.
 * Erasing twice does nothing. The audit is written before import-reconciler is called, so that a
 * crash cannot leave an erasure without a record of the actor.
 * @throws `not_found`, `conflict` when several employees have the address
 */
export const eraseEmployee =
  (pool: Pool, imports: Upstream<ImportServiceDefinition>) =>
  async (request: EraseEmployeeRequest, call: CallContext): Promise<EmployeeErasure> => {
    const { account_id: accountId, dry_run: isDryRun, may_return: mayReturn } = request;
    const { employeeId, answers, erasure } = await withLockedAccount(pool, call, accountId, async (client) => {
      const employeeId = await employeeNamed(client, accountId, request.employee);
      const erasure = await findErasure(client, accountId, employeeId);
      const { erased_answers: answers } = await currentSettings(client, accountId);
      if (isDryRun) {
        const preview = await dryRun(client, accountId, employeeId, answers);
        await audit(client, call, { accountId, action: 'employee.preview', before: null, after: { employee_id: employeeId } });
        return { employeeId, answers, erasure: preview };
      }
      if (erasure !== undefined && (!mayReturn || erasure.may_return)) return { employeeId, answers, erasure };
      const after = { employee_id: employeeId, answers: erasure?.answers ?? answers, may_return: mayReturn };
      await audit(client, call, { accountId, action: 'employee.erase', before: null, after });
      return { employeeId, answers, erasure: undefined };
    });
    if (erasure !== undefined) return erasure;
    const erasureRequest = { employee_id: employeeId, answers, may_return: mayReturn };
    await callService('import-reconciler', call, accountId, (options) => imports.eraseEmployee(erasureRequest, options));
    return showEmployeeErasure(pool)({ account_id: accountId, employee_id: employeeId }, call);
  };

/** Returns the progress of an erasure. @throws `not_found` when none was requested. */
export const showEmployeeErasure =
  (pool: Pool) =>
  ({ account_id: accountId, employee_id: employeeId }: ShowEmployeeErasureRequest, call: CallContext): Promise<EmployeeErasure> =>
    withAccount(pool, call, accountId, async (client) => {
      const erasure = await findErasure(client, accountId, employeeId);
      if (erasure === undefined) throw notFound(`no erasure of employee ${employeeId} was requested`);
      return erasure;
    });

/**
 * Returns everything that all services hold about one employee (rule DATA-ACCESS-1).
 * @throws `not_found`, `conflict` when several employees have the address
 */
export const exportEmployee =
  (pool: Pool) =>
  ({ account_id: accountId, employee }: ExportEmployeeRequest, call: CallContext): Promise<ExportEmployeeResponse> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const employeeId = await employeeNamed(client, accountId, employee);
      // Read first: Citus rejects a function of another role after a write.
      const data = await readEmployeeData(client, accountId, employeeId);
      await audit(client, call, { accountId, action: 'employee.export', before: null, after: { employee_id: employeeId } });
      return { employee_id: employeeId, json: JSON.stringify({ account_id: accountId, employee_id: employeeId, ...data }) };
    });

async function employeeNamed(client: Client, accountId: number, key: EmployeeKey | null): Promise<number> {
  if (key?.employee_id == null && key?.import_id == null && key?.email == null)
    throw invalid('employee_id, import_id or email is required');
  const [id, ...others] = await findEmployeeIds(client, accountId, key);
  if (id === undefined) throw notFound(`account ${accountId} has no such employee`);
  if (others.length > 0) throw conflict(`several employees have this address: name one by id: ${[id, ...others].join(', ')}`);
  return id;
}

// Answers and texts are erased, too, but nobody may see how often somebody has answered.
const COUNTED = ['admin', 'imports', 'export'] as const;

async function dryRun(client: Client, accountId: number, employeeId: number, answers: string): Promise<EmployeeErasure> {
  const data = await readEmployeeData(client, accountId, employeeId, COUNTED);
  return { employee_id: employeeId, state: 'dry_run', answers, may_return: false, pending_schemas: [], found: countsOf(data) };
}

function countsOf(data: EmployeeData): DeletedRows[] {
  return Object.entries(data).flatMap(([schema, kinds]) =>
    Object.entries(kinds ?? {}).map(([kind, objects]) => ({
      table: `${schema}.${kind}`,
      rows: Array.isArray(objects) ? objects.length : 1,
    })),
  );
}

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

/** Returns the ids of the employees with this id, import_id or address, including erased ones. */
async function findEmployeeIds(client: Client, accountId: number, key: EmployeeKey | null): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(FIND, [
    accountId,
    key?.employee_id ?? null,
    key?.import_id ?? null,
    key?.email ?? null,
  ]);
  return rows.map(({ id }) => id);
}

/** Returns an employee's erasure with its progress, if one was requested. */
async function findErasure(client: Client, accountId: number, employeeId: number): Promise<EmployeeErasure | undefined> {
  const { rows } = await client.query<Omit<EmployeeErasure, 'found'>>(
    `select employee_id, answers, may_return, pending_schemas, ${utc('requested_at')} as requested_at, ${utc('erased_at')} as erased_at,
       ${utc('finished_at')} as finished_at,
       case when finished_at is not null then 'finished' when erased_at is not null then 'running' else 'waiting' end as state
     from imports.erased_employee where account_id = $1::bigint and employee_id = $2::bigint`,
    [accountId, employeeId],
  );
  return rows[0] && { ...rows[0], found: [] };
}

/** Returns what the services hold about an employee, by schema and kind. */
async function readEmployeeData(
  client: Client,
  accountId: number,
  employeeId: number,
  schemas: readonly string[] = [...COUNTED, 'scoring', 'text'],
): Promise<EmployeeData> {
  const { rows } = await client.query<EmployeeData>(
    `select ${schemas.map((schema) => `${schema}.employee_data($1::bigint, $2::bigint) as ${schema}`).join(', ')}`,
    [accountId, employeeId],
  );
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0];
}

/** Objects by kind, of each schema. */
type EmployeeData = Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;

/**
 * Requests the recorded erasures that the database does not know, after it was restored from a dump
 * (rule DATA-ERASURE-5).
 */
export const replayEmployeeErasures =
  (pool: Pool, bus: BusConnection, imports: Upstream<ImportServiceDefinition>) =>
  async (_: ReplayEmployeeErasuresRequest, call: CallContext): Promise<ReplayEmployeeErasuresResponse> => {
    const erasures: ReplayedErasure[] = [];
    for (const recorded of await recordedErasures(bus)) {
      const { accountId, employeeId, recordedAt } = recorded;
      const { outcome, answers } = await inAccount(pool, accountId, (tx) => replay(tx, call, recorded));
      const request = { employee_id: employeeId, answers, may_return: false };
      if (outcome === 'requested')
        await callService('import-reconciler', call, accountId, (options) => imports.eraseEmployee(request, options));
      erasures.push({ account_id: accountId, employee_id: employeeId, recorded_at: recordedAt.toISOString(), outcome });
    }
    return { erasures };
  };

async function replay(
  client: Client,
  call: CallContext,
  { accountId, employeeId, identity, answers: recordedAnswers }: RecordedErasure,
): Promise<{ outcome: string; answers: string }> {
  const answers = recordedAnswers ?? (await currentSettings(client, accountId)).erased_answers;
  const erasure = await findErasure(client, accountId, employeeId);
  if (erasure !== undefined) return { outcome: erasure.state, answers };
  // Another employee that was given the id after the restore.
  if (!(await isSameEmployee(client, accountId, employeeId, identity))) return { outcome: 'absent', answers };
  const after = { employee_id: employeeId, answers, replayed: true };
  await audit(client, call, { accountId, action: 'employee.erase', before: null, after });
  return { outcome: 'requested', answers };
}

const ERASED_PERSON = `
select imports.email_key(e.email) as email_key, s.hash_salt
from imports.erased_employee e join imports.account_state s on s.account_id = e.account_id
where e.account_id = $1::bigint and e.employee_id = $2::bigint`;

// Of an invitation that was used, only a keyed hash of the subject remains.
const HASH_INVITED = `
update admin.invitation set email = '', email_key = null, ends_at = least(ends_at, now()),
  subject = encode(imports.identity_hash($3::uuid, 'subject', issuer || ' ' || subject), 'hex')
where account_id = $1::bigint and imports.email_key(email) = $2::text`;

/**
 * Erases the sign-ins, invitations and mail addresses of erased employees, and records those
 * erasures that were requested.
 */
export function erasureWork(pool: Pool, bus: BusConnection): AccountWork {
  return employeeErasureWork(pool, 'admin', async (erasure) => {
    const { accountId, employeeId } = erasure;
    const identity = await inAccount(pool, accountId, async (client) => {
      await client.query('delete from admin.identity where account_id = $1::bigint and employee_id = $2::bigint', [
        accountId,
        employeeId,
      ]);
      const { rows } = await client.query<{ email_key: string | null; hash_salt: string }>(ERASED_PERSON, [
        accountId,
        employeeId,
      ]);
      const [person] = rows;
      if (person !== undefined) await eraseAddress(client, accountId, person);
      return identityOfErased(client, accountId, employeeId);
    });
    if (identity !== undefined) await recordErasure(bus, erasure, identity);
    return undefined;
  });
}

async function eraseAddress(
  client: Client,
  accountId: number,
  { email_key, hash_salt }: { readonly email_key: string | null; readonly hash_salt: string },
): Promise<void> {
  await client.query(
    'delete from admin.invitation where account_id = $1::bigint and imports.email_key(email) = $2::text and subject is null',
    [accountId, email_key],
  );
  await client.query(HASH_INVITED, [accountId, email_key, hash_salt]);
  // By the hash, which a removed address still has.
  await client.query(
    `delete from admin.notice_address where account_id = $1::bigint and address_hash = sha256(convert_to($2::text, 'UTF8'))`,
    [accountId, email_key],
  );
}

const HASH_BYTES = 32;

const HASHES = (of: string): string => `
select coalesce(imports.identity_hash(s.hash_salt, 'import_id', e.import_id), sha256('')) as import_id,
  imports.identity_hash(s.hash_salt, 'email', imports.email_key(e.email)) as email
from ${of} e join imports.account_state s on s.account_id = e.account_id
where e.account_id = $1::bigint`;

/**
 * Returns hashes of an erased employee's import_id and address, until the erasure ends. Undefined
 * for an erasure by retention, which repeats itself.
 */
async function identityOfErased(client: Client, accountId: number, employeeId: number): Promise<Buffer | undefined> {
  const { rows } = await client.query<{ import_id: Buffer; email: Buffer }>(
    `${HASHES('imports.erased_employee')} and e.employee_id = $2::bigint and e.offboarded_at is null`,
    [accountId, employeeId],
  );
  return rows[0] && Buffer.concat([rows[0].import_id, rows[0].email]);
}

/** Returns whether this employee has the import_id or the address of a recorded erasure. */
async function isSameEmployee(client: Client, accountId: number, employeeId: number, identity: Buffer): Promise<boolean> {
  const { rows } = await client.query<{ import_id: Buffer; email: Buffer }>(
    `${HASHES('imports.employee')} and e.id = $2::bigint`,
    [accountId, employeeId],
  );
  const [importId, email] = [identity.subarray(0, HASH_BYTES), identity.subarray(HASH_BYTES)];
  const noImportId = createHash('sha256').digest();
  return rows.some((row) => email.equals(row.email) || (importId.equals(row.import_id) && !importId.equals(noImportId)));
}
