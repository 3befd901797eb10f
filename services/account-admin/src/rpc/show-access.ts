import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Access, ShowAccessRequest } from '@survey/proto/admin/v1/admin.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { findEmployeeAccess, listVisibleEmployees } from '../sql/access.ts';

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
    return withAccount(pool, call, accountId, async (client) => {
      const viewer = await findEmployeeAccess(client, accountId, { id: employee_id ?? null, importId: import_id ?? null });
      if (viewer === undefined) throw notFound(`account ${accountId} has no such employee`);
      return { ...viewer, ...(await listVisibleEmployees(client, accountId, viewer.employee_id, atMost)) };
    });
  };
