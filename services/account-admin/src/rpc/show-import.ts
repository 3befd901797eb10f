import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { ShowImportRequest, ShowImportResponse } from '@survey/proto/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { withAccount } from '../account.ts';
import { findImport } from '../sql/find-import.ts';
import { countByCode, countImportRecords, importRecords, type RecordPage } from '../sql/import-records.ts';
import { checkUuid } from '../uuid.ts';

// A record takes a few hundred bytes, so this many fit well within the message limit of 64 MiB.
const MAX_LIMIT = 10_000;
const OUTCOMES: ReadonlySet<string> = new Set(['', 'created', 'updated', 'unchanged', 'reactivated', 'skipped', 'warning']);

/** Returns the summary of an import, and a page of its records. */
export const showImport =
  (pool: Pool) =>
  async (request: ShowImportRequest, call: CallContext): Promise<ShowImportResponse> => {
    const page = checkPage(request);
    return withAccount(pool, call, page.accountId, (client) => read(client, page));
  };

function checkPage(request: ShowImportRequest): RecordPage {
  const { account_id, import_uuid, records_limit, records_after, outcome, code, search } = request;
  checkUuid(import_uuid, 'import_uuid');
  const limit = records_limit ?? MAX_LIMIT;
  const after = records_after ?? -1;
  if (limit < 0 || limit > MAX_LIMIT) throw invalid(`records_limit must be 0 to ${MAX_LIMIT}`);
  if (after < -1 || after > 2 ** 31 - 1) throw invalid('records_after must be the index of a record');
  if (!OUTCOMES.has(outcome ?? '')) throw invalid('outcome must be an outcome of a record, or warning');
  const filters = { outcome: outcome ?? '', code: code ?? '', search: search ?? '' };
  return { accountId: account_id, importUuid: import_uuid, limit, after, ...filters };
}

async function read(client: Client, page: RecordPage): Promise<ShowImportResponse> {
  const summary = await findImport(client, page.accountId, page.importUuid);
  // Records belong to a completed import: those of a commit between the two queries are left out.
  if (summary.state === 'accepted') return { summary, records: [], records_total: 0, counts_by_code: [] };
  return {
    summary,
    records: await importRecords(client, page),
    records_total: await countImportRecords(client, page),
    counts_by_code: await countByCode(client, page),
  };
}
