import type { QueryResultRow } from 'pg';
import type { Client } from './database.ts';
import { answersIn } from './transact.ts';

let cursors = 0;

/**
 * Reads the rows of a query without parameters in batches, in constant memory, as of the first
 * call. The cursor is open until the transaction ends.
 */
export async function* readBatches<Row extends QueryResultRow>(
  tx: Client,
  query: string,
  batchSize: number,
): AsyncGenerator<Row[]> {
  const cursor = `batches_${++cursors}`;
  const fetch = `fetch ${batchSize} from ${cursor}`;
  let next = `declare ${cursor} no scroll cursor for ${query}; ${fetch}`;
  for (;;) {
    const rows: Row[] = answersIn(await tx.query<Row>(next)).at(-1)?.rows ?? [];
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    next = fetch;
  }
}
