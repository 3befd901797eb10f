import { Client } from 'pg';
import { ROLES } from './migrate.ts';
import { newestMigration, readSchema, schemaMismatch, SchemaTooNewError } from './schema-compatibility.ts';

const TIMEOUT_MS = 5_000;

interface DatabaseState {
  /** Why this version cannot use the schema; undefined if it can. */
  readonly schemaMismatch: string | undefined;
  /** Roles of services that are missing, may not log in, or have rights beyond their grants. */
  readonly wrongRoles: readonly string[];
  readonly connections: number;
  readonly maxConnections: number;
  /** Lag of the replica that lags most; undefined without replicas. */
  readonly replicaLagSeconds: number | undefined;
  /** Minimum offset of PostgreSQL's clock from this one's; negative if PostgreSQL's is slow. */
  readonly clockSkewSeconds: number;
}

interface Row {
  wrong_roles: string[];
  connections: number;
  max_connections: number;
  replica_lag_seconds: number | null;
  now: Date;
}

const STATE = `
select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::int as max_connections,
  (select extract(epoch from max(coalesce(replay_lag, '0')))::float8 from pg_stat_replication) as replica_lag_seconds,
  (select coalesce(array_agg(wanted), '{}') from unnest($1::text[]) as wanted left join pg_roles on rolname = wanted
   where rolname is null or not rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication
  ) as wrong_roles,
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
      clockSkewSeconds: skewSeconds(row.now.getTime(), before, after),
    };
  } finally {
    await client.end();
  }
}

async function mismatchIn(client: Client): Promise<string | undefined> {
  const found = await readSchema(client);
  const known = await newestMigration();
  try {
    return schemaMismatch(found, known);
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
