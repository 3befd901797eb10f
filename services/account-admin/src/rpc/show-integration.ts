import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { Integration, ShowIntegrationRequest } from '@survey/proto/admin/v1/admin.ts';
import { withAccount } from '../account.ts';
import { findIntegration } from '../sql/integration.ts';

/**
 * Returns the integration; one that never existed is shown as not connected, so that scripts can
 * check.
 */
export const showIntegration =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowIntegrationRequest, call: CallContext): Promise<Integration> =>
    withAccount(pool, call, accountId, async (client) => (await findIntegration(client, accountId)) ?? { connected: false });
