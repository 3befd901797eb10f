import { readBinaryValue } from '@survey/postgres/copy.ts';
import type { Client } from '@survey/postgres/database.ts';

/** The import, or the upload, that a body belongs to. */
export interface BodyOwner {
  readonly accountId: number;
  readonly importUuid: string;
}

/**
 * Stores one chunk of a body, and notes that its upload goes on. Each is committed by itself: no connection waits for a slow sender, and memory
 * stays flat. False when earlier chunks were deleted as abandoned.
 */
export async function saveChunk(tx: Client, { accountId, importUuid }: BodyOwner, chunk: number, data: Buffer): Promise<boolean> {
  const upload =
    chunk === 0
      ? 'insert into imports.upload (account_id, import_uuid) values ($1, $2)'
      : 'update imports.upload set last_chunk_at = clock_timestamp() where account_id = $1 and import_uuid = $2';
  const { rowCount } = await tx.query(
    `with upload as (${upload} returning account_id, import_uuid)
     insert into imports.payload (account_id, import_uuid, piece, data) select account_id, import_uuid, $3, $4 from upload`,
    [accountId, importUuid, chunk, data],
  );
  return rowCount === 1;
}

/** The body of an import as it was received, piece by piece: the next one comes while one is worked on. */
export async function* readChunks(reader: Client, accountId: number, importUuid: string): AsyncGenerator<Buffer> {
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

/** Keeps the body of an upload from being deleted as abandoned until the transaction ends. False when there is none. */
export async function lockUpload(tx: Client, { accountId, importUuid }: BodyOwner): Promise<boolean> {
  const { rowCount } = await tx.query('select from imports.upload where account_id = $1 and import_uuid = $2 for update', [
    accountId,
    importUuid,
  ]);
  return rowCount === 1;
}

/** Ends an upload whose body an import owns from now on. False when the body was deleted as abandoned. */
export async function endUpload(tx: Client, { accountId, importUuid }: BodyOwner): Promise<boolean> {
  const { rowCount } = await tx.query('delete from imports.upload where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
  ]);
  return rowCount === 1;
}

/** Deletes a body that did not become an import; one that did stays: a commit whose answer was lost may have accepted it. */
export async function deleteUpload(tx: Client, owner: BodyOwner): Promise<void> {
  if (await endUpload(tx, owner)) await deleteBody(tx, owner);
}

export async function deleteBody(tx: Client, { accountId, importUuid }: BodyOwner): Promise<void> {
  await tx.query('delete from imports.payload where account_id = $1 and import_uuid = $2', [accountId, importUuid]);
}
