import type { Client } from '@survey/postgres/database.ts';
import type { ImportRecord } from '@survey/rpc/gen/survey/admin/v1/admin.ts';

const BATCH_SIZE = 1_000;

/** Reads the outcomes of an import's records in body order through a cursor, in constant memory. */
export async function* keptRecords(tx: Client, accountId: number, importUuid: string): AsyncGenerator<ImportRecord[]> {
  await tx.query(
    `declare kept_record no scroll cursor for
     select index, coalesce(import_id, '') as import_id, outcome, reasons, warnings
     from imports.result where account_id = $1 and import_uuid = $2 order by index`,
    [accountId, importUuid],
  );
  for (;;) {
    const { rows } = await tx.query<ImportRecord>(`fetch ${BATCH_SIZE} from kept_record`);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_SIZE) break;
  }
  await tx.query('close kept_record');
}
