import { Client } from 'pg';
import { ROLES } from './migrate.ts';
import { readStatementPlans } from './statement-plans.ts';

const TIMEOUT_MS = 5_000;

const QUERIES = {
  version: `select version() as version`,
  // Without names of hosts, files and commands.
  settings: `select name, setting, unit from pg_settings
    where source not in ('default', 'override', 'client') and vartype <> 'string' order by name`,
  tables: `select schemaname || '.' || relname as name, n_live_tup as live, n_dead_tup as dead, seq_scan, idx_scan,
      pg_total_relation_size(relid) as bytes, last_autovacuum, last_autoanalyze
    from pg_stat_user_tables order by pg_total_relation_size(relid) desc limit 200`,
  indexes: `select schemaname || '.' || indexrelname as name, idx_scan, pg_relation_size(indexrelid) as bytes
    from pg_stat_user_indexes order by idx_scan desc limit 200`,
  // Without the statements, which may contain values.
  sessions: `select usename as role, application_name, state, wait_event_type, wait_event,
      extract(epoch from clock_timestamp() - xact_start)::float8 as transaction_seconds,
      extract(epoch from clock_timestamp() - query_start)::float8 as statement_seconds,
      cardinality(pg_blocking_pids(pid)) as blocked_by
    from pg_stat_activity where backend_type = 'client backend' and datname = current_database()`,
};

/**
 * Reads sizes, scans, settings, sessions and query plans of a database: no row of a table and no
 * statement.
 * @throws when it cannot be reached or rejects the role
 */
export async function readStatistics(databaseUrl: string): Promise<Record<string, object[]>> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  await client.connect();
  try {
    const read: Record<string, object[]> = {};
    for (const [name, query] of Object.entries(QUERIES)) read[name] = (await client.query<object>(query)).rows;
    read['plans'] = await readStatementPlans(client, ROLES);
    return read;
  } finally {
    await client.end();
  }
}
