import type { BusConnection } from '@survey/bus/connection.ts';
import { recordedErasures } from '@survey/bus/deleted-accounts.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  ReplayEmployeeErasuresRequest,
  ReplayEmployeeErasuresResponse,
  ReplayedErasure,
} from '@survey/proto/admin/v1/admin.ts';
import type { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { audit } from '../audit.ts';
import { callService } from '../call-service.ts';
import { findErasure, isSameEmployee } from '../sql/erasures.ts';
import { currentSettings } from '../sql/settings.ts';

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
      const wanted = { employee_id: employeeId, answers, may_return: false };
      if (outcome === 'requested')
        await callService('import-reconciler', call, accountId, (options) => imports.eraseEmployee(wanted, options));
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
  const known = await findErasure(client, accountId, employeeId);
  if (known !== undefined) return { outcome: known.state, answers };
  // Another employee that was given the id after the restore.
  if (!(await isSameEmployee(client, accountId, employeeId, identity))) return { outcome: 'absent', answers };
  const after = { employee_id: employeeId, answers, replayed: true };
  await audit(client, call, { accountId, action: 'employee.erase', before: null, after });
  return { outcome: 'requested', answers };
}
