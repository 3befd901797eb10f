import { Client, DatabaseError } from 'pg';

const TIMEOUT_MS = 5_000;
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
      // As services send them: a PgBouncer rejects them unless it is told to ignore them.
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
