import type { Pool } from '@survey/postgres/database.ts';
import { savePiece } from '../sql/payload.ts';

const PIECE_BYTES = 512 * 1024;

export interface KeptFor {
  pool: Pool;
  accountId: number;
  importUuid: string;
}

/** Passes a body on and keeps it in PostgreSQL on the way, in pieces of half a megabyte. It is kept whole when the last byte is passed on. */
export async function* keepPieces(body: AsyncIterable<Buffer>, { pool, accountId, importUuid }: KeptFor): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  let piece = 0;
  const keep = async (): Promise<void> => {
    if (bytes > 0) await savePiece(pool, accountId, importUuid, piece++, Buffer.concat(held));
    held = [];
    bytes = 0;
  };
  for await (const chunk of body) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes >= PIECE_BYTES) await keep();
    yield chunk;
  }
  await keep();
}
