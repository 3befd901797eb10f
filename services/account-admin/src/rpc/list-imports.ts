import type { Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ImportSummary, ListImportsRequest, ListImportsResponse } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { IMPORT_SUMMARY_COLUMNS } from '../sql/import-summary.ts';
import { checkUuid } from '../uuid.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

const STATES: ReadonlySet<string> = new Set(['', 'accepted', 'applied', 'cancelled', 'failed']);

const FILTERED = `from imports.import where account_id = $1::bigint
  and ($2::text = '' or state = $2::text) and (not $3::boolean or skipped > 0)`;

const SQL = `select ${IMPORT_SUMMARY_COLUMNS} ${FILTERED}
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
      const { rows } = await client.query<ImportSummary>(SQL, [...filters, rowLimit, before ?? null]);
      const counted = await client.query<{ total: number }>(`select count(*) as total ${FILTERED}`, filters);
      return { imports: rows, total: counted.rows[0]?.total ?? 0 };
    });
  };
