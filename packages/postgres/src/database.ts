import type { ClientBase, Pool as PgPool, PoolClient, QueryResult } from 'pg';
import type { LargeResult } from './large-result.ts';
import { THIS_BACKEND } from './long-statements.ts';
import { answersIn, timed, transact } from './transact.ts';

export { escapeLiteral } from 'pg';

export type Pool = PgPool;
export type Client = PoolClient;
// Runs statements: the pool, or the connection of a transaction.
export type Queryable = Pick<ClientBase, 'query'>;

/** Longest time for a statement unless its transaction sets another limit. */
export const STATEMENT_TIMEOUT_MS = 10_000;

const READ_ONLY = 'begin isolation level repeatable read, read only';

/**
 * Runs a transaction on a connection of its own: committed when `work` resolves, rolled back when
 * it throws.
 */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return transact(pool, { begin: 'begin' }, work);
}

/**
 * Allows the statements of a transaction to take minutes. If the client dies, even while it waits
 * for a lock, its locks are released at once; if the server dies, within seconds.
 * @param settings further settings of the transaction
 */
export async function allowLongStatements(tx: Client, limitMs: number, settings: Record<string, string> = {}): Promise<void> {
  timed(tx).expectStatementsWithin(limitMs);
  const limits = { statement_timeout: String(Math.ceil(limitMs)), client_connection_check_interval: '1s', ...settings };
  const statements = Object.entries(limits).map(([name, value]) => `set local ${name} = '${value}'`);
  // Bounded: settings that the caller names.
  const answers = answersIn(await tx.query(`${settingLocally(...statements)}; ${THIS_BACKEND}`));
  const [backend] = answers.at(-1)?.rows ?? [];
  if (backend !== undefined) timed(tx).longStatements?.watch(timed(tx), backend);
}

const MAX_RESULT_BYTES = 16 * 2 ** 20;

/**
 * Fails the transaction with ResultTooLargeError, as soon as a statement returns more than 16 MiB:
 * for lists whose records an account makes as large as it likes. Large results take turns, and fail
 * with DatabaseUnavailableError if too many wait.
 */
export function limitResults(tx: Client, result: LargeResult): void {
  timed(tx).maxResultBytes = MAX_RESULT_BYTES;
  timed(tx).largeResult = result;
}

/**
 * Runs a transaction that sees only one account's rows: row-level security uses the setting made
 * here, and a connection without it sees no rows.
 */
export async function inAccount<T>(
  pool: Pool,
  accountId: number,
  work: (client: Client) => Promise<T>,
  { lockTimeoutMs, plansForAnyAccount = false }: WriteOptions = {},
): Promise<T> {
  const lockTimeout = lockTimeoutMs === undefined ? '' : `set local lock_timeout = ${lockTimeoutMs}`;
  const settings = settingLocally(setAccountSql(accountId), lockTimeout, plansForAnyAccount ? GENERIC_PLANS : '');
  return transact(pool, { begin: `begin; ${settings}` }, work);
}

interface WriteOptions {
  /**
   * Longest wait for a lock. Below the limit of a statement, so that a statement timeout means that
   * the statement itself takes too long.
   */
  readonly lockTimeoutMs?: number;
  /**
   * Plans statements as for an account of average size, because the statistics may not know this
   * one yet (docs/adr/0029-no-plan-depends-on-neighbours.md).
   */
  readonly plansForAnyAccount?: boolean;
}

/**
 * Runs one statement as a transaction of an account, in one round trip. It takes no parameters: use
 * escapeLiteral.
 */
export async function queryInAccount<Row>(pool: Pool, accountId: number, statement: string): Promise<Row[]> {
  // PostgreSQL runs the statements of one message as a transaction.
  const together = `${settingLocally(setAccountSql(accountId))}; ${statement}`;
  const [, answer] = await transact(pool, { begin: '', end: '' }, async (tx) => answersIn(await tx.query(together)));
  return answer?.rows ?? [];
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
  return transact(pool, { begin: `begin; ${settingLocally(setAccountSql(accountId))}`, end: 'rollback', signal }, work);
}

/** Like inAccount, read-only: all its statements see one database snapshot. */
export async function inAccountSnapshot<T, Row = never>(
  pool: Pool,
  accountId: number,
  work: (client: Client) => Promise<T>,
  { before, after, deadline, keepsPlans = false }: PiggybackStatements<Row> & ReadOptions = {},
): Promise<T> {
  const begin = `${READ_ONLY}; ${settingLocally(setAccountSql(accountId), timeoutUntil(deadline), keepsPlans ? GENERIC_PLANS : '')}`;
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

/** Options of a read. */
export interface ReadOptions {
  /** Time when the caller stops waiting: statements end by then. */
  readonly deadline?: Date | undefined;
  /**
   * Whether named statements keep their plan: planning a page takes 0.5 ms. Otherwise PostgreSQL
   * plans again, because it expects an unknown `limit` to return 10 % of the table.
   */
  readonly keepsPlans?: boolean;
}

// A plan that does not depend on the values of parameters. Citus needs them to plan.
const GENERIC_PLANS =
  "if current_setting('citus.shard_count', true) is null then set local plan_cache_mode = force_generic_plan; end if";

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
function timeoutUntil(deadline: Date | undefined): string {
  if (deadline === undefined) return '';
  const remainingMs = Math.max(1, deadline.getTime() - Date.now());
  return remainingMs < STATEMENT_TIMEOUT_MS ? `set local statement_timeout = ${remainingMs}` : '';
}

// In a `do` block, because Citus repeats the text of a `set local` on the workers, and with it
// every other statement of the same text.
function settingLocally(...statements: readonly string[]): string {
  const joined = statements.filter((statement) => statement !== '').join('; ');
  return `do 'begin ${joined.replaceAll("'", "''")}; end'`;
}

// As text, so that it is sent together with `begin`: a parameter would cost each transaction a
// round trip.
function setAccountSql(accountId: number): string {
  if (!Number.isSafeInteger(accountId) || accountId < 1) throw new Error('expected an account');
  return `set local survey.account_id = ${accountId}`;
}
