import { readBinaryValue } from '@survey/postgres/copy-out.ts';
import type { Client } from '@survey/postgres/database.ts';

/** The import or upload that a body belongs to. */
export interface BodyOwner {
  readonly accountId: number;
  readonly importUuid: string;
}

/**
 * Stores one chunk of a body and records the upload's progress. Each chunk has its own transaction,
 * so a slow client holds no connection. Returns false when earlier chunks were deleted as
 * abandoned.
 */
export async function saveChunk(tx: Client, { accountId, importUuid }: BodyOwner, chunk: number, data: Buffer): Promise<boolean> {
  const upload =
    chunk === 0
      ? 'insert into imports.upload (account_id, import_uuid) values ($1, $2)'
      : 'update imports.upload set last_chunk_at = statement_timestamp() where account_id = $1 and import_uuid = $2';
  const { rowCount } = await tx.query(
    `with upload as (${upload} returning account_id, import_uuid)
     insert into imports.payload (account_id, import_uuid, chunk, data) select account_id, import_uuid, $3, $4 from upload
     returning chunk`,
    [accountId, importUuid, chunk, data],
  );
  return rowCount === 1;
}

/** Reads the body of an import as received, chunk by chunk; prefetches the next chunk. */
export async function* readChunks(reader: Client, accountId: number, importUuid: string): AsyncGenerator<Buffer> {
  let coming = readChunk(reader, accountId, importUuid, 0);
  for (let next = 1; ; next += 1) {
    const data = await coming;
    if (data === undefined) return;
    coming = readChunk(reader, accountId, importUuid, next);
    // The next iteration reports the error.
    coming.catch(() => undefined);
    yield data;
  }
}

function readChunk(reader: Client, accountId: number, importUuid: string, chunk: number): Promise<Buffer | undefined> {
  // COPY takes no parameters; inAccount has checked that the account is a number.
  return readBinaryValue(
    reader,
    `copy (select data from imports.payload
           where account_id = ${accountId} and import_uuid = ${reader.escapeLiteral(importUuid)} and chunk = ${chunk})
     to stdout (format binary)`,
  );
}

/**
 * Protects the body of an upload from deletion as abandoned until the transaction ends. Returns
 * false when there is none.
 */
export async function lockUpload(tx: Client, { accountId, importUuid }: BodyOwner): Promise<boolean> {
  const { rowCount } = await tx.query('select from imports.upload where account_id = $1 and import_uuid = $2 for update', [
    accountId,
    importUuid,
  ]);
  return rowCount === 1;
}

/**
 * Ends an upload whose body an import now owns. Returns false when the body was deleted as
 * abandoned.
 */
export async function endUpload(tx: Client, { accountId, importUuid }: BodyOwner): Promise<boolean> {
  const { rowCount } = await tx.query('delete from imports.upload where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
  ]);
  return rowCount === 1;
}

/**
 * Deletes a body that did not become an import. A body with an import stays: its commit may have
 * succeeded although the confirmation was lost.
 */
export async function deleteUpload(tx: Client, owner: BodyOwner): Promise<void> {
  if (await endUpload(tx, owner)) await deleteBody(tx, owner);
}

export async function deleteBody(tx: Client, { accountId, importUuid }: BodyOwner): Promise<void> {
  await tx.query('delete from imports.payload where account_id = $1 and import_uuid = $2', [accountId, importUuid]);
}
