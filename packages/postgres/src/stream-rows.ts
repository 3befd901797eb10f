import pgCopy from 'pg-copy-streams';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Client } from './database.ts';
import type { QueryResultRow } from 'pg';
import { answersIn } from './transact.ts';

/** Returns the output of `copy … to stdout`, in chunks as the server sends them. */
export function copyOut(client: Client, statement: string): Readable {
  return client.query(pgCopy.to(statement));
}

const SIGNATURE_BYTES = 19;

/**
 * Reads `copy … to stdout (format binary)`: millions of rows in seconds. `takeRows` parses complete
 * rows from an index on and returns the index of the first incomplete one.
 */
export async function readBinaryCopy(
  client: Client,
  statement: string,
  takeRows: (bytes: Buffer, from: number) => number,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  let at = SIGNATURE_BYTES;
  for await (const chunk of copyOut(client, statement) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    at = takeRows(bytes, at);
    rest = bytes.subarray(at);
    at = 0;
    // Lets other calls run: the socket would be read 32 times in a row.
    await setImmediate();
  }
}

const HIGH_WORD = 2 ** 32;

/** Reads a bigint that a number holds exactly: several times faster than readBigInt64BE. */
export function int8At(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * HIGH_WORD + bytes.readUInt32BE(at + 4);
}

// Bytes around a value: signature, column count and length, then the end mark.
const BEFORE_VALUE_BYTES = SIGNATURE_BYTES + 6;
const END_MARK_BYTES = 2;

/**
 * Returns the only column of the only row of `copy … to stdout (format binary)`; undefined without
 * a row. For large values that are not null: a query would transfer bytes as text of twice the
 * length.
 */
export async function readBinaryValue(client: Client, statement: string): Promise<Buffer | undefined> {
  const bytes = Buffer.concat((await copyOut(client, statement).toArray()) as Buffer[]);
  return bytes.length < BEFORE_VALUE_BYTES ? undefined : bytes.subarray(BEFORE_VALUE_BYTES, -END_MARK_BYTES);
}

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
