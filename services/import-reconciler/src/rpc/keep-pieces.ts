import type { Pool } from '@survey/postgres/database.ts';
import { savePiece } from '../sql/payload.ts';

const PIECE_BYTES = 512 * 1024;

export interface KeptFor {
  pool: Pool;
  accountId: number;
  importUuid: string;
}

/**
 * Passes a body on and keeps it in PostgreSQL on the way, in pieces of half a megabyte, each while the next one comes. It is kept whole when its end
 * is passed on.
 */
export async function* keepPieces(body: AsyncIterable<Buffer>, { pool, accountId, importUuid }: KeptFor): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  let piece = 0;
  let saving = Promise.resolve();
  const keep = async (): Promise<void> => {
    await saving;
    saving = savePiece(pool, accountId, importUuid, piece++, Buffer.concat(held));
    // Whoever awaits it next learns of it; until then nobody does, and it must not end the process.
    saving.catch(() => undefined);
    held = [];
    bytes = 0;
  };
  try {
    for await (const chunk of body) {
      held.push(chunk);
      bytes += chunk.length;
      if (bytes >= PIECE_BYTES) await keep();
      yield chunk;
    }
    if (bytes > 0) await keep();
  } finally {
    // Also when the body is refused: a piece that is saved after the others are deleted would stay.
    await saving;
  }
}
