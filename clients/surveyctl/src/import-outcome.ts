import type { ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import type { ImportSummary, ShowImportResponse } from '@survey/proto/admin/v1/admin.ts';
import type { AccountAdmin } from './connection.ts';
import { CommandError } from './command-error.ts';

export interface ImportOutcome {
  summary: ImportSummary;
  records: ImportRecord[];
}

/** Reads an import's outcome with all pages of its records. */
export async function readImport(admin: AccountAdmin, accountId: number, importUuid: string): Promise<ImportOutcome> {
  const request = { account_id: accountId, import_uuid: importUuid };
  const first = await admin.showImport(request);
  const summary = summaryOf(first);
  const { records } = first;
  while (records.length < first.records_total) {
    const page = await admin.showImport({ ...request, records_after: records.at(-1)?.index });
    if (page.records.length === 0) break;
    for (const record of page.records) records.push(record);
  }
  return { summary, records };
}

/** Reads an import's outcome without its records. */
export async function readSummary(admin: AccountAdmin, accountId: number, importUuid: string): Promise<ImportSummary> {
  return summaryOf(await admin.showImport({ account_id: accountId, import_uuid: importUuid, records_limit: 0 }));
}

function summaryOf({ summary }: ShowImportResponse): ImportSummary {
  if (summary === null)
    throw new CommandError('cannot show the import: the response has no summary; check the version of account-admin');
  return summary;
}
