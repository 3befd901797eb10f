import type { Client, Pool } from '@survey/postgres/database.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type {
  ConnectIntegrationRequest,
  DisconnectIntegrationRequest,
  Integration,
  ShowIntegrationRequest,
} from '@survey/proto/admin/v1/admin.ts';
import ISO6391 from 'iso-639-1';
import { audit } from '../write-audit.ts';
import { utc } from '../sql-text.ts';
import { withAccount, withLockedAccount } from '../with-account.ts';

const INTEGRATION_COLUMNS = `
  disconnected_at is null as connected,
  default_language,
  trim_scale(deletion_threshold)::text as deletion_threshold,
  trim_scale(identity_threshold)::text as identity_threshold,
  on_return,
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

/**
 * Connects or reconnects the integration, or changes its settings. Absent settings stay unchanged;
 * on the first connect they are en, 20 (rule IMPORT-THRESHOLD-1) and keep.
 */
export const connectIntegration =
  (pool: Pool) =>
  async (request: ConnectIntegrationRequest, call: CallContext): Promise<Integration> => {
    const settings = checkSettings(request);
    const { account_id: accountId } = request;
    return withLockedAccount(pool, call, accountId, async (client) => {
      const before = await findIntegration(client, accountId);
      const expected = request.expected_threshold;
      if (expected != null && !(before?.connected === true && before.deletion_threshold === expected))
        throw conflict('the integration or its deletion threshold has changed: repeat the change if it still applies');
      const after = await connect(client, accountId, settings);
      if (!isSame(before, after))
        await audit(client, call, { accountId, action: 'integration.connect', before: before ?? null, after });
      return after;
    });
  };

interface GivenSettings {
  language: string | null;
  threshold: string | null;
  // null: unchanged; 'none': no threshold.
  identityThreshold: string | null;
  onReturn: string | null;
}

function checkSettings(request: ConnectIntegrationRequest): GivenSettings {
  const language = request.default_language?.toLowerCase() ?? null;
  const threshold = request.deletion_threshold ?? null;
  if (language !== null && !ISO6391.validate(language)) throw invalid('default_language must be an ISO 639-1 code, such as de');
  if (threshold !== null && !isDeletionThreshold(threshold))
    throw invalid('deletion_threshold must be a percentage from 0 to 100 with up to 4 decimals, such as 20 or 12.5');
  const identityThreshold = request.identity_threshold ?? null;
  if (identityThreshold !== null && identityThreshold !== 'none' && !isDeletionThreshold(identityThreshold))
    throw invalid('identity_threshold must be none, or a percentage from 0 to 100 with up to 4 decimals');
  const onReturn = request.on_return ?? null;
  if (onReturn !== null && onReturn !== 'keep' && onReturn !== 'reset') throw invalid('on_return must be keep or reset');
  return { language, threshold, identityThreshold, onReturn };
}

async function connect(client: Client, accountId: number, settings: GivenSettings): Promise<Integration> {
  const { language, threshold, identityThreshold, onReturn } = settings;
  const { rows } = await client.query<Integration>(
    `with connected as (
       insert into admin.integration as known (account_id, default_language, deletion_threshold, identity_threshold, on_return)
       values ($1::bigint, coalesce($2::text, 'en'), coalesce($3::numeric, 20), $5::numeric, coalesce($6::text, 'keep'))
       on conflict (account_id) do update set
         default_language = coalesce($2::text, known.default_language),
         deletion_threshold = coalesce($3::numeric, known.deletion_threshold),
         identity_threshold = case when $4::boolean then $5::numeric else known.identity_threshold end,
         on_return = coalesce($6::text, known.on_return),
         connected_at = case when known.disconnected_at is null then known.connected_at else excluded.connected_at end,
         disconnected_at = null
       returning *
     )
     select ${INTEGRATION_COLUMNS} from connected`,
    [
      accountId,
      language,
      threshold,
      identityThreshold !== null,
      identityThreshold === 'none' ? null : identityThreshold,
      onReturn,
    ],
  );
  if (rows[0] === undefined) throw new Error('expected the upsert to return a row');
  return rows[0];
}

function isSame(before: Integration | undefined, after: Integration): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

const DISCONNECT = `with disconnected as (
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
      const { rows } = await client.query<Integration>(DISCONNECT, [accountId]);
      const [after] = rows;
      if (before === undefined || after === undefined) return before ?? { connected: false };
      await audit(client, call, { accountId, action: 'integration.disconnect', before, after });
      return after;
    });

/**
 * Returns the integration; one that never existed is shown as not connected, so that scripts can
 * check.
 */
export const showIntegration =
  (pool: Pool) =>
  ({ account_id: accountId }: ShowIntegrationRequest, call: CallContext): Promise<Integration> =>
    withAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<{ codes: string[] }>('select array(select export.survey_languages()) as codes');
      return { ...((await findIntegration(client, accountId)) ?? { connected: false }), survey_languages: rows[0] };
    });

// The range of numeric(7, 4). Kept as text, because 12.5 need not be exact as a float (rule
// IMPORT-THRESHOLD-2).
const PERCENT = /^(?:100(?:\.0{1,4})?|(?:0|[1-9][0-9]?)(?:\.[0-9]{1,4})?)$/;

/**
 * Returns whether a text is a deletion threshold: a percentage from 0 to 100 with up to four
 * decimals, such as 20 or 12.5.
 */
export function isDeletionThreshold(text: string): boolean {
  return PERCENT.test(text);
}
