import type { Pool } from '@survey/postgres/database.ts';

/**
 * Terminates connections of instances paused in a COPY for longer than the idle-transaction
 * timeout, so that others can take over their imports. PostgreSQL considers such a COPY active, so
 * none of its timeouts applies.
 */
export async function terminateStalledCopies(pool: Pool): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename = current_user and state = 'active' and wait_event in ('ClientRead', 'ClientWrite')
       and query_start < clock_timestamp() - current_setting('idle_in_transaction_session_timeout')::interval`,
  );
}
