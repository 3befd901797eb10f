import type { Client } from '@survey/postgres/database.ts';
import type { BodyOwner } from './payload.ts';

/** Size of a record with about 1,000 attributes or grants. */
export const LARGE_BYTES = 64 * 1024;

/** Stores the size of the largest record of a body that is kept for a dry run. */
export async function saveLargestRecord(tx: Client, { accountId, importUuid }: BodyOwner, bytes: number): Promise<void> {
  await tx.query('update imports.upload set largest_record_bytes = $3 where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
    bytes,
  ]);
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
