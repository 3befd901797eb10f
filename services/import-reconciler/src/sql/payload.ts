import { readBinaryValue } from '@survey/postgres/copy.ts';
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

/** The body of an import as it was received, piece by piece: the next one comes while one is worked on. */
export async function* readPieces(reader: Client, accountId: number, importUuid: string): AsyncGenerator<Buffer> {
  let coming = readPiece(reader, accountId, importUuid, 0);
  for (let next = 1; ; next += 1) {
    const data = await coming;
    if (data === undefined) return;
    coming = readPiece(reader, accountId, importUuid, next);
    // Whoever reads on learns of it.
    coming.catch(() => undefined);
    yield data;
  }
}

function readPiece(reader: Client, accountId: number, importUuid: string, piece: number): Promise<Buffer | undefined> {
  // COPY takes no parameters; the account is a number that inAccount has checked.
  return readBinaryValue(
    reader,
    `copy (select data from imports.payload
           where account_id = ${accountId} and import_uuid = ${reader.escapeLiteral(importUuid)} and piece = ${piece})
     to stdout (format binary)`,
  );
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
