import type { QueryResultRow } from 'pg';
import type { Client } from './database.ts';
import { answersIn } from './transact.ts';

/**
 * Reads the rows of a query without parameters in batches, in constant memory. The cursor is open
 * until the transaction ends; its name must be unique in the transaction.
 */
export async function* readBatches<Row extends QueryResultRow>(
  tx: Client,
  cursor: string,
  { query, batchSize }: { readonly query: string; readonly batchSize: number },
): AsyncGenerator<Row[]> {
  const fetch = `fetch ${batchSize} from ${cursor}`;
  let next = `declare ${cursor} no scroll cursor for ${query}; ${fetch}`;
  for (;;) {
    const rows: Row[] = answersIn(await tx.query<Row>(next)).at(-1)?.rows ?? [];
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    next = fetch;
  }
}
