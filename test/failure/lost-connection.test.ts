import { inTransaction, type Client } from '@survey/postgres/database.ts';
import { DatabaseUnavailableError } from '@survey/postgres/database-error.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

const database = await createDatabase(inject('postgres'));
const tools = toolOf('test');
const pool = openDatabase({ url: database.url, name: 'test', maxConnections: 2 }, tools);

afterAll(async () => {
  await tools.resources.disposeAsync();
  await database.drop();
});

async function cut(client: Client): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
}

it('fails the transaction but not the process when a connection is lost between two statements', async () => {
  const work = inTransaction(pool, async (client) => {
    const isLost = new Promise((resolve) => client.once('end', resolve));
    await cut(client);
    await isLost;
    await client.query('select 1');
  });
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await inTransaction(pool, (client) => client.query('select 1'))).toMatchObject({ rowCount: 1 });
});

it('fails the transaction but not the process when a connection is lost during a statement', async () => {
  const work = inTransaction(pool, (client) => client.query('select pg_terminate_backend(pg_backend_pid()), pg_sleep(10)'));
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
});
