import type { Client } from '@survey/postgres/database.ts';
import type { Integration } from '@survey/proto/admin/v1/admin.ts';
import { utc } from './utc.ts';

export const INTEGRATION_COLUMNS = `
  disconnected_at is null as connected,
  default_language,
  trim_scale(deletion_threshold)::text as deletion_threshold,
  ${utc('connected_at')} as connected_at,
  ${utc('disconnected_at')} as disconnected_at`;

/** Returns the account's integration; undefined when it was never connected. */
export async function findIntegration(client: Client, accountId: number): Promise<Integration | undefined> {
  const { rows } = await client.query<Integration>(
    `select ${INTEGRATION_COLUMNS} from admin.integration where account_id = $1::bigint`,
    [accountId],
  );
  return rows[0];
}
