import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';

/** Keeps one piece of a body. Each is committed by itself: no connection waits for a slow sender, and memory stays flat. */
export async function savePiece(pool: Pool, accountId: number, importUuid: string, piece: number, data: Buffer): Promise<void> {
  await inAccount(pool, accountId, (tx) =>
    tx.query('insert into imports.payload (account_id, import_uuid, piece, data) values ($1, $2, $3, $4)', [
      accountId,
      importUuid,
      piece,
      data,
    ]),
  );
}

const PIECES_AT_ONCE = 2;

/** The body of an import as it was received, piece by piece. */
export async function* readPieces(reader: Client, accountId: number, importUuid: string): AsyncGenerator<Buffer> {
  for (let piece = 0; ; piece += PIECES_AT_ONCE) {
    const { rows } = await reader.query<{ data: Buffer }>(
      `select data from imports.payload
       where account_id = $1 and import_uuid = $2 and piece >= $3 order by piece limit ${PIECES_AT_ONCE}`,
      [accountId, importUuid, piece],
    );
    for (const { data } of rows) yield data;
    if (rows.length < PIECES_AT_ONCE) return;
  }
}

export async function hasPieces(tx: Client, accountId: number, importUuid: string): Promise<boolean> {
  const { rowCount } = await tx.query('select from imports.payload where account_id = $1 and import_uuid = $2 limit 1', [
    accountId,
    importUuid,
  ]);
  return rowCount === 1;
}

/** Deletes a body that did not become an import; one that did stays: a commit whose answer was lost may have accepted it. */
export async function deletePieces(pool: Pool, accountId: number, importUuid: string): Promise<void> {
  await inAccount(pool, accountId, (tx) =>
    tx.query(
      `delete from imports.payload where account_id = $1 and import_uuid = $2
       and not exists (select from imports.import where account_id = $1 and import_uuid = $2)`,
      [accountId, importUuid],
    ),
  );
}
