import type { Client } from '@survey/postgres/database.ts';
import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { notFound } from '@survey/rpc/application-error.ts';
import { IMPORT_SUMMARY_COLUMNS } from './import-summary.ts';

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
