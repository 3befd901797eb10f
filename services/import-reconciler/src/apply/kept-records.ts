import { escapeLiteral, type Client } from '@survey/postgres/database.ts';
import { readBatches } from '@survey/postgres/read-batches.ts';
import type { ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';

const BATCH_SIZE = 1_000;

/** Reads the outcomes of an import's records in body order, in constant memory. */
export function keptRecords(tx: Client, accountId: number, importUuid: string): AsyncGenerator<ImportRecord[]> {
  const query = `
    select r.record_index as index, coalesce(r.import_id, '') as import_id, r.outcome, r.reasons, r.warnings,
      (select concat_ws(' ', e.firstname, e.lastname) from imports.employee e
       where e.account_id = ${accountId} and e.import_id = r.import_id and e.created_via = 'import_api') as name
    from imports.record_result r where r.account_id = ${accountId} and r.import_uuid = ${escapeLiteral(importUuid)}
    order by r.record_index`;
  return readBatches(tx, query, BATCH_SIZE);
}
