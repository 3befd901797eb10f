import type { Client, Pool } from '@survey/postgres/database.ts';
import { invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ImportSummary, ListImportsRequest, ListImportsResponse } from '@survey/proto/admin/v1/admin.ts';
import { utc } from '../sql-text.ts';
import { checkUuid } from '../uuid.ts';
import { withAccount } from '../with-account.ts';

const ms = (interval: string): string => `greatest(0, floor(1000 * extract(epoch from ${interval})))`;

// Columns of imports.import that form an ImportSummary of admin.proto.
const IMPORT_SUMMARY_COLUMNS = `
  import_uuid,
  state,
  ${utc('accepted_at')} as accepted_at,
  ${utc('finished_at')} as finished_at,
  employees_total,
  json_build_object(
    'created', created, 'updated', updated, 'unchanged', unchanged,
    'reactivated', reactivated, 'skipped', skipped, 'offboarded', offboarded
  ) as counts,
  cancel_reasons,
  reasons,
  warnings,
  managed,
  trim_scale(deletion_threshold)::text as deletion_threshold,
  deletes_allowed,
  rerun_of,
  (select coalesce(k.name, k.prefix) from admin.api_key k where k.account_id = $1::bigint and k.key_id = import.key_id) as sent_by,
  ${utc('records_kept_until')} as records_kept_until,
  ${utc('records_deleted_at')} as records_deleted_at,
  case when cancelled_for_deletes then (
    select count(*) from imports.offboarding l where l.account_id = $1::bigint and l.import_uuid = import.import_uuid
  ) end as would_offboard,
  cancelled_for_deletes and body_kept_until is not null and not exists (
    select from imports.import newer where newer.account_id = $1::bigint and newer.accepted_at > import.accepted_at
  ) as can_allow_deletes,
  attempts,
  phase_ms || case when finished_at is null then coalesce((
    select jsonb_build_object('wait', ${ms('a.begun_at - accepted_at')}, 'running', ${ms('now() - a.begun_at')})
    from imports.attempt a where a.account_id = $1::bigint and a.import_uuid = import.import_uuid and a.in_progress
  ), jsonb_build_object('wait', ${ms('now() - accepted_at')})) else '{}' end as phase_ms`;

/**
 * Returns one import of the account.
 * @throws `not_found`
 */
export async function findImport(client: Client, accountId: number, importUuid: string): Promise<ImportSummary> {
  const { rows } = await client.query<ImportSummary>(
    `select ${IMPORT_SUMMARY_COLUMNS} from imports.import where account_id = $1::bigint and import_uuid = $2::uuid`,
    [accountId, importUuid],
  );
  if (rows[0] === undefined) throw notFound(`account ${accountId} has no import ${importUuid}`);
  return rows[0];
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

const STATES: ReadonlySet<string> = new Set(['', 'accepted', 'applied', 'cancelled', 'failed']);

const FILTERED = `from imports.import where account_id = $1::bigint
  and ($2::text = '' or state = $2::text) and (not $3::boolean or skipped > 0)`;

const LIST = `select ${IMPORT_SUMMARY_COLUMNS} ${FILTERED}
    and ($5::uuid is null or (import.accepted_at, import_uuid) < (
      select last.accepted_at, last.import_uuid from imports.import last where last.account_id = $1::bigint and last.import_uuid = $5::uuid))
  order by import.accepted_at desc, import_uuid desc limit $4::integer`;

/** Returns an account's imports, newest first. */
export const listImports =
  (pool: Pool) =>
  async (request: ListImportsRequest, call: CallContext): Promise<ListImportsResponse> => {
    const { account_id: accountId, limit, before, state, with_skipped } = request;
    const rowLimit = limit ?? DEFAULT_LIMIT;
    if (rowLimit < 1 || rowLimit > MAX_LIMIT) throw invalid(`limit must be 1 to ${MAX_LIMIT}`);
    if (!STATES.has(state ?? '')) throw invalid('state must be accepted, applied, cancelled or failed');
    if (before != null) checkUuid(before, 'before');
    return withAccount(pool, call, accountId, async (client) => {
      const filters = [accountId, state ?? '', with_skipped ?? false];
      const { rows } = await client.query<ImportSummary>(LIST, [...filters, rowLimit, before ?? null]);
      const counted = await client.query<{ total: number }>(`select count(*) as total ${FILTERED}`, filters);
      return { imports: rows, total: counted.rows[0]?.total ?? 0 };
    });
  };
