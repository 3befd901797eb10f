import type { Client } from '@survey/postgres/database.ts';

/** Sets limits and the planner for a transaction as long as an import: minutes, but a worker that is paused must not hold its locks for longer. */
export async function prepareTransaction(tx: Client): Promise<void> {
  await tx.query(`
    set local statement_timeout = '15min';
    set local idle_in_transaction_session_timeout = '60s';
    -- A worker that dies in the middle of a long statement, or waiting for a lock, lets go at once and not when that is over.
    set local client_connection_check_interval = '1s';
    -- The working tables have no statistics until they are analyzed, and a nested loop over them may run for ever.
    set local enable_nestloop = off;
    set local work_mem = '64MB'`);
}
