import { readBinaryValue } from '@survey/postgres/stream-rows.ts';
import type { Client } from '@survey/postgres/database.ts';

/** The import or upload that a body belongs to. */
export interface BodyOwner {
  readonly accountId: number;
  readonly importUuid: string;
}

/** Bytes of every chunk of a body but the last, at least; the last one has fewer. */
export const CHUNK_BYTES = 512 * 1024;

/**
 * Stores one chunk of an upload and records its progress. Each chunk has its own transaction, so a
 * slow client holds no connection. Returns false when earlier chunks were deleted as abandoned, or
 * the account has been closed.
 */
export function saveChunk(tx: Client, owner: BodyOwner, chunk: number, data: Buffer): Promise<boolean> {
  const upload =
    chunk === 0
      ? `insert into imports.upload as u (account_id, import_uuid) select $1::bigint, $2::uuid where admin.account_exists($1::bigint)
         returning u.account_id, u.import_uuid`
      : `update imports.upload set last_chunk_at = statement_timestamp()
         where account_id = $1 and import_uuid = $2 returning account_id, import_uuid`;
  return insertChunk(tx, owner, chunk, { data, upload });
}

/**
 * Stores the last chunk of a body in the transaction of its import, and ends the upload, which a
 * body of one chunk does not have. Returns false when earlier chunks were deleted as abandoned.
 */
export function saveLastChunk(tx: Client, owner: BodyOwner, chunk: number, data: Buffer): Promise<boolean> {
  const upload =
    chunk === 0
      ? 'select $1::bigint as account_id, $2::uuid as import_uuid'
      : 'delete from imports.upload where account_id = $1 and import_uuid = $2 returning account_id, import_uuid';
  return insertChunk(tx, owner, chunk, { data, upload });
}

async function insertChunk(
  tx: Client,
  { accountId, importUuid }: BodyOwner,
  chunk: number,
  { data, upload }: { data: Buffer; upload: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with upload as (${upload})
     insert into imports.payload (account_id, import_uuid, chunk, data) select account_id, import_uuid, $3, $4 from upload
     returning 1`,
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
    if (data.length >= CHUNK_BYTES) coming = readChunk(reader, accountId, importUuid, next);
    // The next iteration reports the error.
    coming.catch(() => undefined);
    yield data;
    if (data.length < CHUNK_BYTES) return;
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
 * Deletes a body that did not become an import. A body with an import is kept, because its commit
 * may have succeeded although the confirmation was lost.
 */
export async function deleteUpload(tx: Client, { accountId, importUuid }: BodyOwner): Promise<void> {
  await tx.query(
    `with ended as (
       delete from imports.upload where account_id = $1 and import_uuid = $2 returning account_id, import_uuid
     )
     delete from imports.payload p using ended e where p.account_id = e.account_id and p.import_uuid = e.import_uuid`,
    [accountId, importUuid],
  );
}

/**
 * Size of a record with about 8,000 attributes or grants. Parsed, it takes some 5 MB, as much as a
 * batch of smaller records.
 */
export const LARGE_BYTES = 512 * 1024;

// A body is deleted by its dry run; those above this number belong to callers that left before it.
const MAX_CHECKED_PER_ACCOUNT = 4;

/**
 * Marks a body as checked for a dry run, with the size of its largest record, and deletes the
 * account's oldest checked bodies that no dry run is using.
 */
export async function saveChecked(tx: Client, { accountId, importUuid }: BodyOwner, largestBytes: number): Promise<void> {
  await tx.query('update imports.upload set largest_record_bytes = $3 where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
    largestBytes,
  ]);
  const { rows } = await tx.query<{ import_uuid: string }>(
    `select import_uuid from imports.upload where account_id = $1 and largest_record_bytes > 0
     order by last_chunk_at desc offset ${MAX_CHECKED_PER_ACCOUNT} for update skip locked`,
    [accountId],
  );
  for (const { import_uuid } of rows) await deleteUpload(tx, { accountId, importUuid: import_uuid });
}

/**
 * Returns whether a body for a dry run has records that need much memory while they are planned.
 */
export async function hasLargeRecords(tx: Client, { accountId, importUuid }: BodyOwner): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from imports.upload where account_id = $1 and import_uuid = $2 and largest_record_bytes > ${LARGE_BYTES}`,
    [accountId, importUuid],
  );
  return rowCount !== 0;
}
