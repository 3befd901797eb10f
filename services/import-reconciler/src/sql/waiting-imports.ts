import type { Pool } from '@survey/postgres/database.ts';

/** Accepted imports of all accounts, oldest first, some seconds after their message should have arrived. */
export async function waitingImports(pool: Pool): Promise<{ accountId: number; importUuid: string }[]> {
  const { rows } = await pool.query<{ accountId: number; importUuid: string }>(
    'select account_id as "accountId", import_uuid as "importUuid" from imports.waiting_imports()',
  );
  return rows;
}

const PARTS_AT_ONCE = 20;

/** Deletes bodies and records of imports whose retention is over, a limited part of them: the rest waits for the next call. */
export async function deleteExpiredRecords(pool: Pool): Promise<void> {
  for (let parts = 0; parts < PARTS_AT_ONCE; parts++) {
    const { rows } = await pool.query<{ deleted: boolean }>('select imports.delete_expired_records() as deleted');
    if (rows[0]?.deleted !== true) return;
  }
}

/** Clears away pieces of bodies that were refused or broken off by a crash, an hour after the last of them came. */
export async function deleteAbandonedPieces(pool: Pool): Promise<void> {
  await pool.query('select imports.delete_abandoned_pieces()');
}
