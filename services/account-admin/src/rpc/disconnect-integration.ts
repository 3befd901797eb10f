import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { DisconnectIntegrationRequest, Integration } from '@survey/proto/admin/v1/admin.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { findIntegration, INTEGRATION_COLUMNS } from '../sql/integration.ts';

const SQL = `with disconnected as (
    update admin.integration set disconnected_at = now() where account_id = $1::bigint and disconnected_at is null returning *
  )
  select ${INTEGRATION_COLUMNS} from disconnected`;

/**
 * Disconnects the integration and keeps its settings. Idempotent. A waiting import is cancelled by
 * its worker (rule IMPORT-LIFECYCLE-CANCEL-3).
 */
export const disconnectIntegration =
  (pool: Pool) =>
  ({ account_id: accountId }: DisconnectIntegrationRequest, call: CallContext): Promise<Integration> =>
    withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findIntegration(client, accountId);
      const { rows } = await client.query<Integration>(SQL, [accountId]);
      const [after] = rows;
      if (before === undefined || after === undefined) return before ?? { connected: false };
      await audit(client, call, { accountId, action: 'integration.disconnect', before, after });
      return after;
    });
