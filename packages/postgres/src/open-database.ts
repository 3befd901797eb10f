import { causeOf } from '@survey/process/cause-of.ts';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { Pool, TypeOverrides, types as pgTypes } from 'pg';
import { STATEMENT_TIMEOUT_MS } from './database.ts';
import { READ_ONLY_TRANSACTION, sqlState } from './database-error.ts';
import { LongStatements } from './long-statements.ts';
import { TimedClient } from './timed-client.ts';
import { timed } from './transact.ts';

/**
 * A pool, and a separate connection that probes the server: a busy pool must not look like an
 * unavailable server.
 */
type Database = Pool & { readonly probe: Pool; readonly connections: ReadonlySet<TimedClient> };

// pg returns bigint and numeric as text and cuts timestamps to milliseconds. Counts and ids fit
// into a number, and SQL formats times as text.
export const types = new TypeOverrides();
types.setTypeParser(pgTypes.builtins.INT8, Number);
types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text: string) => text);

const CONNECT_TIMEOUT_MS = 2_000;
const TRANSACTION_IDLE_MS = 30_000;
// An idle connection is detected as lost after this and ten probes of one second each.
const KEEPALIVE_AFTER_MS = 10_000;
// A frozen server must not block the metrics endpoint.
const PROBE_TIMEOUT_MS = 2_000;

interface DatabaseOptions {
  url: string;
  name: string;
  maxConnections?: number;
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
  // Maximum time a transaction may wait for a paused process.
  transactionIdleMs?: number;
}

/**
 * Opens a pool in which every wait is limited: 2 s for a connection, 10 s for a statement unless
 * its transaction sets another limit.
 */
export function openDatabase(options: DatabaseOptions, context: ServiceContext): Database {
  const pool = openPool('database', options, context);
  measureReach(pool, context);
  return pool;
}

/** Opens a pool for a server that may be unavailable. `what` is part of the metric names. */
export function openPool(what: 'database' | 'replica' | 'uploads', options: DatabaseOptions, context: ServiceContext): Database {
  const { url, name, maxConnections = 10 } = options;
  const shared = {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
    types,
  };
  const pool = new Pool({
    ...shared,
    Client: TimedClient,
    max: maxConnections,
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: options.transactionIdleMs ?? TRANSACTION_IDLE_MS,
  });
  const probe = new Pool({ ...shared, max: 1, query_timeout: PROBE_TIMEOUT_MS });
  // A replica's host name may stand for several servers: the probe may ask another one.
  const longStatements = what === 'replica' ? undefined : new LongStatements(probe, context.log);
  const connections = new Set<TimedClient>();
  pool.on('connect', (client) => {
    timed(client).longStatements = longStatements;
    connections.add(timed(client));
  });
  pool.on('remove', (client) => connections.delete(timed(client)));
  for (const each of [pool, probe]) {
    each.on('error', (error) => context.log.warn({ err: error }, 'idle connection lost'));
    context.resources.defer(() => each.end());
  }
  measureConnections(what, pool, maxConnections, context);
  return Object.assign(pool, { probe, connections });
}

function measureConnections(what: string, pool: Pool, maxConnections: number, { metrics }: ServiceContext): void {
  const gauge = new Gauge({
    name: `${what}_connections`,
    help: 'Database connections of the pool, by state.',
    labelNames: ['state'],
    registers: [metrics],
    collect: () => {
      gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      gauge.set({ state: 'idle' }, pool.idleCount);
      gauge.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  const maximum = new Gauge({
    name: `${what}_connections_max`,
    help: 'Maximum database connections of the pool.',
    registers: [metrics],
  });
  maximum.set(maxConnections);
}

function measureReach(pool: Database, { log, metrics }: ServiceContext): void {
  let toldReason = '';
  const reach: Gauge = new Gauge({
    name: 'database_up',
    help: 'Whether the database responds and accepts writes: 1 or 0.',
    registers: [metrics],
    collect: async () => {
      try {
        await isReachable(pool);
        toldReason = '';
        reach.set(1);
      } catch (error) {
        const reason = causeOf(error);
        // Once per reason, not at every scrape.
        if (reason !== toldReason) log.warn({ err: error }, `database unavailable: ${reason}`);
        toldReason = reason;
        reach.set(0);
      }
    },
  });
}

// A standby, and a server that its provider has made read-only for lack of space.
const ACCEPTS_WRITES = `
do 'begin
  if current_setting(''transaction_read_only'')::bool then
    raise read_only_sql_transaction using message = ''the server only reads: it is a standby, or default_transaction_read_only is on'';
  end if;
end'`;

// Databases that only read when they were last probed.
const readOnly = new WeakSet<Database>();

/**
 * Resolves when the server responds and accepts writes, even if all connections of the pool are
 * busy. After a failover the old primary may keep its connections and only read: all of them are
 * then closed, so that new ones reach the new primary. Those that were opened before its host name
 * has changed are closed once the probe reaches the new primary.
 * @throws when it does not
 */
export async function isReachable(database: Database): Promise<boolean> {
  const leave = (cause?: unknown): void => {
    for (const connection of database.connections) connection.lose(new Error('the server only reads', { cause }));
  };
  try {
    await database.probe.query(ACCEPTS_WRITES);
    if (readOnly.delete(database)) leave();
    return true;
  } catch (error) {
    if (sqlState(error) !== READ_ONLY_TRANSACTION) throw error;
    readOnly.add(database);
    leave(error);
    throw error;
  }
}
