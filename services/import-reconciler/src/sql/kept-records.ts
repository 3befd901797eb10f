import type { Client } from '@survey/postgres/database.ts';
import type { ImportRecord } from '@survey/rpc/gen/survey/common/v1/import_outcome.ts';

const BATCH_SIZE = 1_000;

/** Reads the outcomes of an import's records in body order through a cursor, in constant memory. */
export async function* keptRecords(tx: Client, accountId: number, importUuid: string): AsyncGenerator<ImportRecord[]> {
  await tx.query(
    `declare kept_record no scroll cursor for
     select r.record_index as index, coalesce(r.import_id, '') as import_id, r.outcome, r.reasons, r.warnings,
       (select concat_ws(' ', e.firstname, e.lastname) from imports.employee e
        where e.account_id = $1::bigint and e.import_id = r.import_id and e.created_via = 'import_api') as name
     from imports.record_result r where r.account_id = $1 and r.import_uuid = $2 order by r.record_index`,
    [accountId, importUuid],
  );
  for (;;) {
    const { rows } = await tx.query<ImportRecord>(`fetch ${BATCH_SIZE} from kept_record`);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_SIZE) break;
  }
  await tx.query('close kept_record');
}
