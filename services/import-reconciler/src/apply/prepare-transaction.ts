import { allowLongStatements, type Client } from '@survey/postgres/database.ts';

const MAX_STATEMENT_MS = 15 * 60_000;

/**
 * Sets the limits and planner options of a transaction that may take minutes, such as an import.
 * PostgreSQL ends that of a paused worker after IDLE_IN_TRANSACTION_TIMEOUT_SECONDS.
 */
export async function prepareTransaction(tx: Client): Promise<void> {
  await allowLongStatements(tx, MAX_STATEMENT_MS, {
    // Working tables have no statistics until they are analyzed; nested loops could run forever.
    enable_nestloop: 'off',
    // A sample of 3,000 rows suffices; the default of 30,000 takes 10 % of a first import.
    default_statistics_target: '10',
    work_mem: '64MB',
  });
}
