import { DatabaseUnavailableError, inTransaction, openDatabase, type Client } from '@survey/postgres/database.ts';
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

it('a connection that is lost between two statements ends its transaction, not the process', async () => {
  const work = inTransaction(pool, async (client) => {
    const isLost = new Promise((resolve) => client.once('end', resolve));
    await cut(client);
    await isLost;
    await client.query('select 1');
  });
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(await inTransaction(pool, (client) => client.query('select 1'))).toMatchObject({ rowCount: 1 });
});

it('one that is lost in a statement too', async () => {
  const work = inTransaction(pool, (client) => client.query('select pg_terminate_backend(pg_backend_pid()), pg_sleep(10)'));
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
});
