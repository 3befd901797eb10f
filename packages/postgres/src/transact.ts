import type { Pool, PoolClient as Client, QueryResult } from 'pg';
import {
  asUnavailable,
  DatabaseUnavailableError,
  READ_ONLY_TRANSACTION,
  ResultTooLargeError,
  sqlState,
} from './database-error.ts';
import { TimedClient } from './timed-client.ts';

/**
 * The statements around the work of a transaction, empty for none. If `began` or `ended` throws,
 * the transaction is rolled back.
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

/** Runs `work` in a transaction on a connection of its own, between the given statements. */
export async function transact<T>(pool: Pool, brackets: TransactionStatements, work: (client: Client) => Promise<T>): Promise<T> {
  const { signal } = brackets;
  const client = await connect(pool, signal);
  const connection = timed(client);
  let lost: Error | undefined;
  // The pool listens only while a connection is idle: a loss between two statements would end the
  // process.
  const lose = (error: Error): void => {
    lost ??= error;
  };
  client.on('error', lose);
  const leave = (): void => connection.lose(new Error('the caller has disconnected'));
  signal?.addEventListener('abort', leave);
  const release = (broken?: Error): void => {
    signal?.removeEventListener('abort', leave);
    client.off('error', lose);
    connection.expectUsualStatements();
    client.release(broken);
  };
  let isOpen = false;
  try {
    const begun = await send(client, brackets.begin, brackets.beginWithinMs);
    isOpen = true;
    brackets.began?.(begun);
    const result = await work(client);
    const ended = await send(client, brackets.end ?? 'commit');
    brackets.ended?.(ended);
    release();
    return result;
  } catch (error) {
    // A server that fails at `begin` may never respond; one that became a standby rejects writes,
    // and other connections reach the new primary.
    if (!isOpen || sqlState(error) === READ_ONLY_TRANSACTION) release(new Error('the connection is broken'));
    else await client.query('rollback').then(() => release(), release);
    signal?.throwIfAborted();
    if (lost instanceof ResultTooLargeError) throw lost;
    throw isOpen && lost === undefined
      ? asUnavailable(error)
      : new DatabaseUnavailableError('the database connection was lost', { cause: error });
  }
}

async function send(client: Client, text: string, query_timeout?: number): Promise<QueryResult[]> {
  const query = { text, query_timeout };
  return text === '' ? [] : answersIn(await client.query(query));
}

/** Returns the pooled connection with its time limits. */
export function timed(client: Client): TimedClient {
  if (!(client instanceof TimedClient)) throw new Error('expected a pooled connection');
  return client;
}

/** Returns a list of results: pg returns one for several statements, whatever its types say. */
export const answersIn = (answer: QueryResult): QueryResult[] => [answer].flat();

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
    const passOn = (client: Client): void => {
      signal.removeEventListener('abort', reject);
      if (signal.aborted) client.release();
      else resolve(client);
    };
    connecting.then(passOn, reject);
  });
}
