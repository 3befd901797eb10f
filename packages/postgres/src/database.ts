import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { Pool as PgPool, TypeOverrides, types as pgTypes, type ClientBase, type PoolClient } from 'pg';

export type Pool = PgPool;
export type Client = PoolClient;
// What a statement runs on: the pool, or the connection of a transaction.
export type Queryable = Pick<ClientBase, 'query'>;

/** No connection in time, or the server is away: the caller may try again. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

// pg returns bigint and numeric as text and cuts timestamps to milliseconds. Counts and ids fit a number; times stay text,
// formatted in SQL.
const types = new TypeOverrides();
types.setTypeParser(pgTypes.builtins.INT8, Number);
types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text: string) => text);

const STATEMENT_TIMEOUT_MS = 10_000;

export interface DatabaseOptions {
  url: string;
  name: string;
  maxConnections?: number;
  statementTimeoutMs?: number;
}

/** A pool in which every wait has a limit: 2 s for a connection, 10 s for a statement unless its transaction says otherwise. */
export function openDatabase(
  { url, name, maxConnections = 10, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: DatabaseOptions,
  tools: ServiceTools,
): Pool {
  const pool = new PgPool({
    connectionString: url,
    application_name: name,
    max: maxConnections,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    types,
  });
  pool.on('error', (error) => tools.log.warn({ err: error }, 'idle connection lost'));
  const gauge = new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool by what they do',
    labelNames: ['state'],
    registers: [tools.metrics],
    collect: () => {
      gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      gauge.set({ state: 'idle' }, pool.idleCount);
      gauge.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  measureReach(pool, maxConnections, tools);
  tools.resources.defer(() => pool.end());
  return pool;
}

// A frozen server must not hold up whoever reads the metrics.
const REACH_WAIT_MS = 3_000;

function measureReach(pool: Pool, maxConnections: number, { metrics }: ServiceTools): void {
  const most = new Gauge({ name: 'database_connections_max', help: 'Connections that the pool may open', registers: [metrics] });
  most.set(maxConnections);
  const reach: Gauge = new Gauge({
    name: 'database_reachable',
    help: '1 when the database answers',
    registers: [metrics],
    collect: async () => {
      const tooLate = sleep(REACH_WAIT_MS, false, { ref: false });
      reach.set((await Promise.race([isReachable(pool).catch(() => false), tooLate])) ? 1 : 0);
    },
  });
}

export async function isReachable(pool: Pool): Promise<boolean> {
  await pool.query('select 1');
  return true;
}

const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P02', '57P03', '53300', '57014', '08006', '08001']);

const READ_ONLY = 'begin isolation level repeatable read, read only';

/** A transaction on a connection of its own: committed when `work` resolves, rolled back when it throws. */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return transact(pool, { begin: 'begin' }, work);
}

async function transact<T>(
  pool: Pool,
  { begin, end = 'commit' }: { begin: string; end?: 'commit' | 'rollback' },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(pool);
  let lost: Error | undefined;
  // The pool listens while a connection is idle only: one that is lost between two statements would end the process.
  const lose = (error: Error): void => {
    lost ??= error;
  };
  client.on('error', lose);
  const release = (broken?: Error): void => {
    client.off('error', lose);
    client.release(broken);
  };
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query(end);
    release();
    return result;
  } catch (error) {
    await client.query('rollback').then(() => release(), release);
    throw lost === undefined ? asUnavailable(error) : new DatabaseUnavailable('the database went away', { cause: error });
  }
}

/**
 * A transaction that sees the rows of one account and no others: row-level security goes by the setting made here, and
 * a connection without it sees nothing (architecture.md, decision 4).
 */
export async function inAccount<T>(pool: Pool, accountId: number, work: (client: Client) => Promise<T>): Promise<T> {
  return transact(pool, { begin: `begin; ${entering(accountId)}` }, work);
}

/** Like inAccount, but nothing of it stays, also when `work` resolves: for finding out what would be. */
export async function rehearseInAccount<T>(pool: Pool, accountId: number, work: (client: Client) => Promise<T>): Promise<T> {
  return transact(pool, { begin: `begin; ${entering(accountId)}`, end: 'rollback' }, work);
}

/** Like inAccount, for reading: all its statements see one and the same snapshot. */
export async function readAccount<T>(pool: Pool, accountId: number, work: (client: Client) => Promise<T>): Promise<T> {
  return transact(pool, { begin: `${READ_ONLY}; ${entering(accountId)}` }, work);
}

/** Makes a transaction that began outside an account see the rows of this one: for the transaction that creates the account. */
export async function enterAccount(client: Client, accountId: number): Promise<void> {
  await client.query(entering(accountId));
}

// As text, so that it goes out together with `begin`: a parameter would cost one more round trip in every transaction.
function entering(accountId: number): string {
  if (!Number.isSafeInteger(accountId) || accountId < 1) throw new Error('an account is needed');
  return `set local survey.account_id = ${accountId}`;
}

async function connect(pool: Pool): Promise<Client> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new DatabaseUnavailable('no database connection', { cause: error });
  }
}

function asUnavailable(error: unknown): unknown {
  const code = sqlState(error);
  return code !== undefined && AWAY.has(code) ? new DatabaseUnavailable('the database went away', { cause: error }) : error;
}

/** The SQLSTATE (or system error code) of an error of PostgreSQL, such as 23505 for a unique violation. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
