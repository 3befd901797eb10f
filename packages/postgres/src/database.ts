import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { Pool as PgPool, TypeOverrides, types as pgTypes, type ClientBase, type PoolClient, type QueryResult } from 'pg';
import { LongStatements, THIS_BACKEND } from './long-statements.ts';
import { TimedClient } from './timed-client.ts';

export type Pool = PgPool;
/**
 * A pool, and a separate connection that probes the server: a busy pool must not look like an
 * unavailable server.
 */
export type Database = Pool & { readonly probe: Pool };
export type Client = PoolClient;
// Runs statements: the pool, or the connection of a transaction.
export type Queryable = Pick<ClientBase, 'query'>;

/** No connection was free in time, or the server is unavailable: the caller may retry. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

// pg returns bigint and numeric as text and cuts timestamps to milliseconds. Counts and ids fit a
// number; times stay text, formatted in SQL.
const types = new TypeOverrides();
types.setTypeParser(pgTypes.builtins.INT8, Number);
types.setTypeParser(pgTypes.builtins.TIMESTAMPTZ, (text: string) => text);

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
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
  const pool = new PgPool({
    ...shared,
    Client: TimedClient,
    max: maxConnections,
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: options.transactionIdleMs ?? TRANSACTION_IDLE_MS,
  });
  const probe = new PgPool({ ...shared, max: 1, query_timeout: PROBE_TIMEOUT_MS });
  // A replica's host name may stand for several servers: the probe may ask another one.
  const longStatements = what === 'replica' ? undefined : new LongStatements(probe);
  pool.on('connect', (client) => {
    timed(client).longStatements = longStatements;
  });
  for (const each of [pool, probe]) {
    each.on('error', (error) => context.log.warn({ err: error }, 'idle connection lost'));
    context.resources.defer(() => each.end());
  }
  measureConnections(what, pool, maxConnections, context);
  return Object.assign(pool, { probe });
}

function measureConnections(what: string, pool: Pool, maxConnections: number, { metrics }: ServiceContext): void {
  const gauge = new Gauge({
    name: `${what}_connections`,
    help: 'Connections of the pool by what they do',
    labelNames: ['state'],
    registers: [metrics],
    collect: () => {
      gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      gauge.set({ state: 'idle' }, pool.idleCount);
      gauge.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  const most = new Gauge({ name: `${what}_connections_max`, help: 'Connections that the pool may open', registers: [metrics] });
  most.set(maxConnections);
}

function measureReach(pool: Database, { metrics }: ServiceContext): void {
  const reach: Gauge = new Gauge({
    name: 'database_up',
    help: '1 when the database answers',
    registers: [metrics],
    collect: async () => {
      reach.set((await isReachable(pool).catch(() => false)) ? 1 : 0);
    },
  });
}

/**
 * Resolves when the server responds, even if all connections of the pool are busy.
 * @throws when it does not
 */
export async function isReachable({ probe }: Database): Promise<boolean> {
  await probe.query('select 1');
  return true;
}

const READ_ONLY_TRANSACTION = '25006';
const AWAY = new Set(
  `ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE 57P01 57P02 57P03 53300 57014 08006 08001 ${READ_ONLY_TRANSACTION}`.split(' '),
);

const READ_ONLY = 'begin isolation level repeatable read, read only';

/**
 * Runs a transaction on a connection of its own: committed when `work` resolves, rolled back when
 * it throws.
 */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return transact(pool, { begin: 'begin' }, work);
}

/**
 * The statements around the work of a transaction. If `began` or `ended` throws, the transaction is
 * rolled back.
 */
interface TransactionStatements {
  // Ends the transaction and its current statement at once by closing the connection.
  readonly signal?: AbortSignal | undefined;
  readonly begin: string;
  readonly beginWithinMs?: number;
  readonly began?: (answers: readonly QueryResult[]) => void;
  readonly end?: string;
  readonly ended?: (answers: readonly QueryResult[]) => void;
}

async function transact<T>(pool: Pool, brackets: TransactionStatements, work: (client: Client) => Promise<T>): Promise<T> {
  const { signal } = brackets;
  const client = await connect(pool, signal);
  let lost: Error | undefined;
  // The pool listens only while a connection is idle: a loss between two statements would end the
  // process.
  const lose = (error: Error): void => {
    lost ??= error;
  };
  client.on('error', lose);
  const leave = (): void => timed(client).lose(new Error('the caller left'));
  signal?.addEventListener('abort', leave);
  const release = (broken?: Error): void => {
    signal?.removeEventListener('abort', leave);
    client.off('error', lose);
    timed(client).expectUsualStatements();
    client.release(broken);
  };
  let isOpen = false;
  try {
    const begin = { text: brackets.begin, query_timeout: brackets.beginWithinMs };
    const begun = answersIn(await client.query(begin));
    isOpen = true;
    brackets.began?.(begun);
    const result = await work(client);
    const ended = answersIn(await client.query(brackets.end ?? 'commit'));
    brackets.ended?.(ended);
    release();
    return result;
  } catch (error) {
    // A server that fails at `begin` may never respond; one that became a standby rejects writes,
    // and other connections reach the new primary.
    if (!isOpen || sqlState(error) === READ_ONLY_TRANSACTION) release(new Error('the connection is of no use'));
    else await client.query('rollback').then(() => release(), release);
    signal?.throwIfAborted();
    throw isOpen && lost === undefined
      ? asUnavailable(error)
      : new DatabaseUnavailableError('the database went away', { cause: error });
  }
}

function timed(client: Client): TimedClient {
  if (!(client instanceof TimedClient)) throw new Error('the connection is not of a pool of ours');
  return client;
}

/**
 * Allows the statements of a transaction to take minutes. If the client dies, even while it waits
 * for a lock, its locks are released at once; if the server dies, within seconds.
 */
export async function allowLongStatements(tx: Client, limitMs: number): Promise<void> {
  await limitStatements(tx, limitMs);
  const { longStatements } = timed(tx);
  const answers = answersIn(await tx.query(`set local client_connection_check_interval = '1s'; ${THIS_BACKEND}`));
  const [backend] = answers[1]?.rows ?? [];
  if (backend !== undefined) longStatements?.watch(timed(tx), backend);
}

/** Overrides the statement timeout within a transaction. */
async function limitStatements(tx: Client, limitMs: number): Promise<void> {
  timed(tx).expectStatementsWithin(limitMs);
  await tx.query("select set_config('statement_timeout', $1, true)", [String(Math.ceil(limitMs))]);
}

// pg returns a list for several statements, whatever its types say.
const answersIn = (answer: QueryResult): QueryResult[] => [answer].flat();

/**
 * Runs a transaction that sees only one account's rows: row-level security uses the setting made
 * here, and a connection without it sees no rows.
 */
export async function inAccount<T>(pool: Pool, accountId: number, work: (client: Client) => Promise<T>): Promise<T> {
  return transact(pool, { begin: `begin; ${setAccountSql(accountId)}` }, work);
}

/**
 * Like inAccount, but always rolled back, even if `work` resolves: for dry runs. Aborting the
 * signal ends the transaction at once.
 */
export async function inAccountRolledBack<T>(
  pool: Pool,
  accountId: number,
  work: (client: Client) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return transact(pool, { begin: `begin; ${setAccountSql(accountId)}`, end: 'rollback', signal }, work);
}

/** Like inAccount, read-only: all its statements see one database snapshot. */
export async function inAccountSnapshot<T, Row = never>(
  pool: Pool,
  accountId: number,
  work: (client: Client) => Promise<T>,
  { before, after, deadline }: PiggybackStatements<Row> & { readonly deadline?: Date | undefined } = {},
): Promise<T> {
  const begin = `${READ_ONLY}; ${setAccountSql(accountId)}${endingBy(deadline)}`;
  return transact(
    pool,
    {
      begin: before === undefined ? begin : `begin; ${before.statement}; commit; ${begin}`,
      ...(before && { beginWithinMs: before.withinMs, began: (answers) => before.take(answers[1]?.rows[0]) }),
      ...(after && { end: `${after.statement}; commit`, ended: (answers) => after.take(answers[0]?.rows[0]) }),
    },
    work,
  );
}

/**
 * Single-row statements that are sent with the read's first and last statement, and so cost no
 * round trip. If `take` throws, the read is aborted.
 */
interface PiggybackStatements<Row> {
  // On the same connection, before the read's database snapshot is taken.
  readonly before?: { readonly statement: string; readonly withinMs: number; take(row: Row): void };
  // After the read's last statement.
  readonly after?: { readonly statement: string; take(row: Row): void };
}

/**
 * Returns the row of a single-row statement.
 * @throws DatabaseUnavailableError on timeout
 */
export async function queryWithTimeout<Row>(pool: Pool, statement: string, withinMs: number): Promise<Row | undefined> {
  let row: Row | undefined;
  const began = ([, answer]: readonly QueryResult[]): void => {
    row = answer?.rows[0];
  };
  await transact(pool, { begin: `begin; ${statement}`, beginWithinMs: withinMs, began }, () => Promise.resolve());
  return row;
}

/**
 * Makes a transaction that began outside an account see the account's rows: for the transaction
 * that creates it.
 */
export async function enterAccount(client: Client, accountId: number): Promise<void> {
  await client.query(setAccountSql(accountId));
}

// No statement continues after its caller has stopped waiting.
function endingBy(deadline: Date | undefined): string {
  if (deadline === undefined) return '';
  const leftMs = Math.max(1, deadline.getTime() - Date.now());
  return leftMs < STATEMENT_TIMEOUT_MS ? `; set local statement_timeout = ${leftMs}` : '';
}

// As text, so that it is sent together with `begin`: a parameter would cost each transaction a
// round trip.
function setAccountSql(accountId: number): string {
  if (!Number.isSafeInteger(accountId) || accountId < 1) throw new Error('an account is needed');
  return `set local survey.account_id = ${accountId}`;
}

async function connect(pool: Pool, signal: AbortSignal | undefined): Promise<Client> {
  signal?.throwIfAborted();
  const connecting = pool.connect();
  try {
    return await (signal === undefined ? connecting : unlessAborted(connecting, signal));
  } catch (error) {
    signal?.throwIfAborted();
    throw new DatabaseUnavailableError('no database connection', { cause: error });
  }
}

// A connection that arrives after its caller has left returns to the pool.
function unlessAborted(connecting: Promise<Client>, signal: AbortSignal): Promise<Client> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', reject, { once: true });
    const take = (client: Client): void => {
      signal.removeEventListener('abort', reject);
      if (signal.aborted) client.release();
      else resolve(client);
    };
    connecting.then(take, reject);
  });
}

function asUnavailable(error: unknown): unknown {
  const code = sqlState(error);
  return code !== undefined && AWAY.has(code) ? new DatabaseUnavailableError('the database went away', { cause: error }) : error;
}

/**
 * Returns the SQLSTATE (or system error code) of a PostgreSQL error, such as 23505 for a unique
 * violation.
 */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
