import type { Pool } from '@survey/postgres/database.ts';
import type { ImportSummary, ListImportsRequest, ListImportsResponse } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { invalid } from '@survey/rpc/refusal.ts';
import { readAccount } from '../account.ts';
import { IMPORT_SUMMARY_COLUMNS } from '../sql/import-summary.ts';

const DEFAULT_LIMIT = 20;
const LARGEST_LIMIT = 1_000;

const SQL = `select ${IMPORT_SUMMARY_COLUMNS} from imports.import where account_id = $1::bigint
  order by import.accepted_at desc, import_uuid limit $2::integer`;

/** An account's imports, newest first. */
export const listImports =
  (pool: Pool) =>
  async ({ account_id: accountId, limit }: ListImportsRequest): Promise<ListImportsResponse> => {
    const rowLimit = limit ?? DEFAULT_LIMIT;
    if (rowLimit < 1 || rowLimit > LARGEST_LIMIT) throw invalid(`limit must be 1 to ${LARGEST_LIMIT}`);
    return readAccount(pool, accountId, async (client) => {
      const { rows } = await client.query<ImportSummary>(SQL, [accountId, rowLimit]);
      return { imports: rows };
    });
  };
