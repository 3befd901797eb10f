import type { Pool } from '@survey/postgres/database.ts';

/** Accepted imports of all accounts, oldest first, some seconds after their message should have arrived. */
export async function waitingImports(pool: Pool): Promise<{ accountId: number; importUuid: string }[]> {
  const { rows } = await pool.query<{ accountId: number; importUuid: string }>(
    'select account_id as "accountId", import_uuid as "importUuid" from imports.waiting_imports()',
  );
  return rows;
}

/** Clears away pieces of bodies that were refused or broken off by a crash, an hour after the last of them came. */
export async function deleteAbandonedPieces(pool: Pool): Promise<void> {
  await pool.query('select imports.delete_abandoned_pieces()');
}
