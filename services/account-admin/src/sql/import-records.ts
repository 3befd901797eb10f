import type { Client } from '@survey/postgres/database.ts';
import type { ImportRecord } from '@survey/rpc/gen/survey/admin/v1/admin.ts';

export interface RecordPage {
  accountId: number;
  importUuid: string;
  limit: number;
  // The index of the last record of the page before; -1 for the first page.
  after: number;
}

/** Outcomes of an import's records in the order of the body. import-reconciler writes none for those that are plainly unchanged. */
export async function importRecords(
  client: Client,
  { accountId, importUuid, limit, after }: RecordPage,
): Promise<ImportRecord[]> {
  const { rows } = await client.query<ImportRecord>(
    `select index, coalesce(import_id, '') as import_id, outcome, reasons, warnings from imports.result
     where account_id = $1::bigint and import_uuid = $2::uuid and index > $3::integer
     order by index limit $4::integer`,
    [accountId, importUuid, after, limit],
  );
  return rows;
}

export async function countImportRecords(client: Client, accountId: number, importUuid: string): Promise<number> {
  const { rows } = await client.query<{ total: number }>(
    'select count(*) as total from imports.result where account_id = $1::bigint and import_uuid = $2::uuid',
    [accountId, importUuid],
  );
  return rows[0]?.total ?? 0;
}
