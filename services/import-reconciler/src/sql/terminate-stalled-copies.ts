import type { Pool } from '@survey/postgres/database.ts';

/**
 * Ends the connections of instances that have been paused in a COPY for as long as a transaction may be idle, so that others can take over their
 * imports: PostgreSQL waits for their rows for ever, since to it they are at work, and no timeout of it ends that.
 */
export async function terminateStalledCopies(pool: Pool): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename = current_user and state = 'active' and wait_event in ('ClientRead', 'ClientWrite')
       and query_start < clock_timestamp() - current_setting('idle_in_transaction_session_timeout')::interval`,
  );
}
