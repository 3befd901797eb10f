import { allowLongStatements, type Client } from '@survey/postgres/database.ts';

const MAX_STATEMENT_MS = 15 * 60_000;

/**
 * Sets the limits and planner options of a transaction that may take minutes, such as an import.
 * PostgreSQL ends that of a paused worker after IDLE_IN_TRANSACTION_TIMEOUT_SECONDS.
 */
export async function prepareTransaction(tx: Client): Promise<void> {
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  await tx.query(`
    -- The working tables have no statistics until they are analyzed, and a nested loop over them may run for ever.
    set local enable_nestloop = off;
    -- 3,000 rows of a table tell the planner enough; the usual 30,000 take a tenth of the time of a first import.
    set local default_statistics_target = 10;
    set local work_mem = '64MB'`);
}
