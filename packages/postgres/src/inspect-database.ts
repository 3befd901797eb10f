import { Client, DatabaseError } from 'pg';
import { ROLES } from './migrate.ts';
import { newestMigration, readSchema, schemaMismatch, SchemaTooNewError } from './schema-compatibility.ts';

const TIMEOUT_MS = 5_000;
const LARGE_ROWS = 10_000;

interface DatabaseState {
  /** Why this version cannot use the schema; undefined if it can. */
  readonly schemaMismatch: string | undefined;
  /** Roles of services that are missing, may not log in, or have rights beyond their grants. */
  readonly wrongRoles: readonly string[];
  readonly connections: number;
  readonly maxConnections: number;
  /** Lag of the replica that lags most; undefined without replicas. */
  readonly replicaLagSeconds: number | undefined;
  readonly serverVersion: string;
  /** Settings with which PostgreSQL can lose or damage what it has confirmed. */
  readonly unsafeSettings: readonly string[];
  /** Tables whose `account_id` has statistics, so that plans depend on neighbours (ADR 29). */
  readonly accountStatistics: readonly string[];
  /** Large tables of which PostgreSQL has no statistics at all. */
  readonly neverAnalysed: readonly string[];
  /** Indexes whose creation has failed; each write still maintains them. */
  readonly invalidIndexes: readonly string[];
  /** Minimum lead of PostgreSQL's clock over the clock of this process; negative if it lags. */
  readonly clockSkewSeconds: number;
}

interface Row {
  wrong_roles: string[];
  connections: number;
  max_connections: number;
  replica_lag_seconds: number | null;
  server_version: string;
  unsafe_settings: string[];
  account_statistics: string[];
  never_analysed: string[];
  invalid_indexes: string[];
  now: Date;
}

const OURS = `('admin', 'imports', 'export', 'scoring', 'text')`;

const STATE = `
select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::int as max_connections,
  (select extract(epoch from max(coalesce(replay_lag, '0')))::float8 from pg_stat_replication) as replica_lag_seconds,
  (select coalesce(array_agg(wanted), '{}') from unnest($1::text[]) as wanted left join pg_roles on rolname = wanted
   where rolname is null or not rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
  ) as wrong_roles,
  current_setting('server_version') as server_version,
  (select coalesce(array_agg(name), '{}') from pg_settings
   where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum') and setting = 'off') as unsafe_settings,
  -- Security by row hides the view's rows from the owner, but never the setting.
  (select coalesce(array_agg(attrelid::regclass::text), '{}')
   from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
   where attname = 'account_id' and relkind in ('r', 'p') and nspname in ${OURS}
     and (attstattarget is distinct from 0 or exists (
       select from pg_stats s where s.schemaname = nspname and s.tablename = relname and s.attname = a.attname))
  ) as account_statistics,
  (select coalesce(array_agg(relid::regclass::text), '{}') from pg_stat_user_tables
   where schemaname in ${OURS} and n_live_tup > ${LARGE_ROWS} and last_analyze is null and last_autoanalyze is null
  ) as never_analysed,
  (select coalesce(array_agg(indexrelid::regclass::text), '{}')
   from pg_index i join pg_class c on c.oid = indrelid join pg_namespace n on n.oid = relnamespace
   where not indisvalid and nspname in ${OURS}) as invalid_indexes,
  clock_timestamp() as now`;

/**
 * Reads the state of PostgreSQL. `databaseUrl` is the owner's.
 * @throws when it cannot be reached or rejects the role
 */
export async function inspectDatabase(databaseUrl: string): Promise<DatabaseState> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS });
  await client.connect();
  try {
    const before = Date.now();
    const { rows } = await client.query<Row>(STATE, [ROLES]);
    const after = Date.now();
    const [row] = rows;
    if (row === undefined) throw new Error('cannot read the state of PostgreSQL: no row');
    return {
      schemaMismatch: await mismatchIn(client),
      wrongRoles: row.wrong_roles,
      connections: row.connections,
      maxConnections: row.max_connections,
      replicaLagSeconds: row.replica_lag_seconds ?? undefined,
      serverVersion: row.server_version,
      unsafeSettings: row.unsafe_settings,
      accountStatistics: row.account_statistics,
      neverAnalysed: row.never_analysed,
      invalidIndexes: row.invalid_indexes,
      clockSkewSeconds: skewSeconds(row.now.getTime(), before, after),
    };
  } finally {
    await client.end();
  }
}

async function mismatchIn(client: Client): Promise<string | undefined> {
  const schema = await readSchema(client);
  const newest = await newestMigration();
  try {
    return schemaMismatch(schema, newest);
  } catch (error) {
    if (error instanceof SchemaTooNewError) return error.message;
    throw error;
  }
}

// The other clock was read between the two local times.
function skewSeconds(theirs: number, before: number, after: number): number {
  if (theirs > after) return (theirs - after) / 1_000;
  return theirs < before ? (theirs - before) / 1_000 : 0;
}

const ROUNDS = 10;
// duplicate_prepared_statement, invalid_sql_statement_name
const MIXED_UP = new Set<string | undefined>(['42P05', '26000']);

/**
 * Returns whether statements keep their name for as long as the connection lasts, which the
 * services rely on to plan a long query only once. PgBouncer before 1.21 passes names on to
 * whichever server process runs the transaction, and so does a later one whose
 * `max_prepared_statements` is 0.
 *
 * A client cannot ask for either, so two connections give two statements the same name and run them
 * in turn. As soon as the connections share a server process, or one of them is assigned another,
 * such a pooler rejects a statement or returns the other one's result.
 * @throws when the server cannot be reached or rejects the role
 */
export async function keepsNamedStatements(databaseUrl: string): Promise<boolean> {
  const clients = [1, 2].map((value) => ({
    value,
    client: new Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      // Services send both timeouts, and a PgBouncer rejects them unless it is told to ignore them.
      statement_timeout: TIMEOUT_MS,
      idle_in_transaction_session_timeout: TIMEOUT_MS,
    }),
  }));
  try {
    await Promise.all(clients.map(({ client }) => client.connect()));
    for (let round = 0; round < ROUNDS; round++)
      for (const { client, value } of clients) {
        const query = { name: 'survey_doctor', text: `select ${value} as value` };
        const { rows } = await client.query<{ value: number }>(query);
        if (rows[0]?.value !== value) return false;
      }
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && MIXED_UP.has(error.code)) return false;
    throw error;
  } finally {
    await Promise.all(clients.map(({ client }) => client.end()));
  }
}
