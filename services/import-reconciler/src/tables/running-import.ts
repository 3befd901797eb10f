import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';

/** Returns whether an import of the account is accepted and has not ended. */
export async function isImportRunning(tx: Client, accountId: number): Promise<boolean> {
  const { rowCount } = await tx.query('select from imports.import where account_id = $1 and finished_at is null', [accountId]);
  return rowCount !== 0;
}

/**
 * Terminates the given backend when an import of the account is pending. Returns whether it did.
 */
export async function endForImport(pool: Pool, accountId: number, backend: number): Promise<boolean> {
  return inAccount(pool, accountId, async (tx) => {
    if (!(await isImportRunning(tx, accountId))) return false;
    await tx.query('select pg_terminate_backend($1::integer)', [backend]);
    return true;
  });
}
