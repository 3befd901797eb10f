import ISO6391 from 'iso-639-1';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ConnectIntegrationRequest, Integration } from '@survey/proto/admin/v1/admin.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import { withLockedAccount } from '../account.ts';
import { audit } from '../audit.ts';
import { isDeletionThreshold } from '../deletion-threshold.ts';
import { findIntegration, INTEGRATION_COLUMNS } from '../sql/integration.ts';

/**
 * Connects or reconnects the integration, or changes its settings. Absent settings stay unchanged;
 * on the first connect they are en and 20 (rule IMPORT-THRESHOLD-1).
 */
export const connectIntegration =
  (pool: Pool) =>
  async (request: ConnectIntegrationRequest, call: CallContext): Promise<Integration> => {
    const settings = checkSettings(request);
    const { account_id: accountId } = request;
    return withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findIntegration(client, accountId);
      const expected = request.expected_threshold;
      if (expected != null && before?.connected === true && before.deletion_threshold !== expected)
        throw conflict(`the deletion threshold is ${before.deletion_threshold ?? ''} now`);
      const after = await connect(client, accountId, settings);
      if (!isSame(before, after))
        await audit(client, call, { accountId, action: 'integration.connect', before: before ?? null, after });
      return after;
    });
  };

interface GivenSettings {
  language: string | null;
  threshold: string | null;
}

function checkSettings(request: ConnectIntegrationRequest): GivenSettings {
  const language = request.default_language?.toLowerCase() ?? null;
  const threshold = request.deletion_threshold ?? null;
  if (language !== null && !ISO6391.validate(language)) throw invalid('default_language must be an ISO 639-1 code, such as de');
  if (threshold !== null && !isDeletionThreshold(threshold))
    throw invalid('deletion_threshold must be a percentage from 0 to 100 with up to 4 decimals, such as 20 or 12.5');
  return { language, threshold };
}

async function connect(client: Client, accountId: number, { language, threshold }: GivenSettings): Promise<Integration> {
  const { rows } = await client.query<Integration>(
    `with connected as (
       insert into admin.integration as known (account_id, default_language, deletion_threshold)
       values ($1::bigint, coalesce($2::text, 'en'), coalesce($3::numeric, 20))
       on conflict (account_id) do update set
         default_language = coalesce($2::text, known.default_language),
         deletion_threshold = coalesce($3::numeric, known.deletion_threshold),
         connected_at = case when known.disconnected_at is null then known.connected_at else excluded.connected_at end,
         disconnected_at = null
       returning *
     )
     select ${INTEGRATION_COLUMNS} from connected`,
    [accountId, language, threshold],
  );
  if (rows[0] === undefined) throw new Error('expected the upsert to return a row');
  return rows[0];
}

function isSame(before: Integration | undefined, after: Integration): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
