import { createHash } from 'node:crypto';
import type { AccountWork } from '@survey/bus/account-work.ts';
import type { BusConnection } from '@survey/bus/connection.ts';
import { recordedErasures, recordErasure } from '@survey/bus/deleted-accounts.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { type Client, inAccount, type Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  ReplayedErasure,
  ReplayEmployeeErasuresRequest,
  ReplayEmployeeErasuresResponse,
} from '@survey/proto/admin/v1/admin.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { audit } from '../audit/write-audit.ts';
import { callService } from '../call-service.ts';
import { currentSettings } from '../settings/account-settings.ts';
import { findErasure } from './request-erasure.ts';

/**
 * Requests the recorded erasures that the database does not know, after it was restored from a dump
 * (rule DATA-ERASURE-5).
 */
export const replayEmployeeErasures =
  (pool: Pool, bus: BusConnection, imports: Upstream<ImportServiceDefinition>) =>
  async (_: ReplayEmployeeErasuresRequest, call: CallContext): Promise<ReplayEmployeeErasuresResponse> => {
    const erasures: ReplayedErasure[] = [];
    for (const { accountId, employeeId, recordedAt, identity } of await recordedErasures(bus)) {
      const { outcome, answers } = await inAccount(pool, accountId, (tx) => replay(tx, call, accountId, employeeId, identity));
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
  accountId: number,
  employeeId: number,
  identity: Buffer,
): Promise<{ outcome: string; answers: string }> {
  const { erased_answers: answers } = await currentSettings(client, accountId);
  const erasure = await findErasure(client, accountId, employeeId);
  if (erasure !== undefined) return { outcome: erasure.state, answers };
  // Another employee that was given the id after the restore.
  if (!(await isSameEmployee(client, accountId, employeeId, identity))) return { outcome: 'absent', answers };
  const after = { employee_id: employeeId, answers, replayed: true };
  await audit(client, call, { accountId, action: 'employee.erase', before: null, after });
  return { outcome: 'requested', answers };
}

const EMAIL_KEY = `
select imports.email_key(email) as email_key from imports.erased_employee where account_id = $1::bigint and employee_id = $2::bigint`;

const ERASE_INVITATIONS = 'select admin.erase_invitations($1::bigint, $2::text)';

/**
 * Erases the sign-ins, invitations and mail addresses of erased employees, and records those
 * erasures that were requested.
 */
export function erasureWork(pool: Pool, bus: BusConnection): AccountWork {
  return employeeErasureWork(pool, 'admin', async ({ accountId, employeeId }) => {
    const identity = await inAccount(pool, accountId, async (client) => {
      await client.query('delete from admin.identity where account_id = $1::bigint and employee_id = $2::bigint', [
        accountId,
        employeeId,
      ]);
      const { rows } = await client.query<{ email_key: string | null }>(EMAIL_KEY, [accountId, employeeId]);
      await client.query(ERASE_INVITATIONS, [accountId, rows[0]?.email_key]);
      await client.query('delete from admin.notice_address where account_id = $1::bigint and email_key = $2::text', [
        accountId,
        rows[0]?.email_key,
      ]);
      return identityOfErased(client, accountId, employeeId);
    });
    if (identity !== undefined) await recordErasure(bus, accountId, employeeId, identity);
    return undefined;
  });
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
