import { inTransaction, type Pool } from '@survey/postgres/database.ts';

/** Returns the number of imports, over all accounts, that have not ended. */
export async function countUnfinishedImports(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*) from imports.unfinished_imports()');
  return rows[0]?.count ?? 0;
}

/** Returns the unfinished imports whose next attempt is due. */
export async function dueImports(pool: Pool): Promise<{ accountId: number; importUuid: string }[]> {
  const { rows } = await pool.query<{ accountId: number; importUuid: string }>(
    'select account_id as "accountId", import_uuid as "importUuid" from imports.due_imports()',
  );
  return rows;
}

/** Returns the seconds since the oldest data that is not deleted yet has expired, by kind. */
export async function measureLag(pool: Pool): Promise<{ kind: string; seconds: number }[]> {
  return (await pool.query<{ kind: string; seconds: number }>('select kind, seconds from imports.retention_lag()')).rows;
}

const PARTS_BATCH_SIZE = 20;

/** Deletes a limited number of expired records per call; the next call continues. */
export async function deleteExpiredRecords(pool: Pool): Promise<void> {
  for (let parts = 0; parts < PARTS_BATCH_SIZE; parts++) {
    const { rows } = await pool.query<{ deleted: boolean }>('select imports.delete_expired_records() as deleted');
    if (rows[0]?.deleted !== true) return;
  }
}

/**
 * Deletes bodies whose retention for allow-deletes has expired, each in its own transaction: one
 * body has up to 16 GiB.
 */
export async function deleteExpiredBodies(pool: Pool): Promise<void> {
  for (let bodies = 0; bodies < PARTS_BATCH_SIZE; bodies++) {
    const isDeleted = await inTransaction(pool, async (tx) => {
      await tx.query("set local statement_timeout = '15min'");
      const { rows } = await tx.query<{ deleted: boolean }>('select imports.delete_expired_body() as deleted');
      return rows[0]?.deleted === true;
    });
    if (!isDeleted) return;
  }
}

/**
 * Deletes a limited number of bodies without progress for an hour: interrupted uploads, and bodies
 * kept for a dry run that never started.
 */
export async function deleteAbandonedBodies(pool: Pool): Promise<void> {
  await pool.query('select imports.delete_abandoned_bodies()');
}
