import { inTransaction, type Client } from '@survey/postgres/database.ts';
import { DatabaseUnavailableError } from '@survey/postgres/database-error.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
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

it('leaves a server that only reads, as after a failover that keeps connections', async () => {
  const up = async () => /database_up(?:{.*})? (\d)/.exec(await tools.metrics.metrics())?.[1];
  const isWritable = () =>
    inTransaction(pool, async (client) => (await client.query<{ off: string }>('show transaction_read_only')).rows[0]);
  expect(await up()).toBe('1');
  for (const connection of [pool, pool.probe]) await connection.query('set default_transaction_read_only = on');
  expect(await isWritable()).toEqual({ transaction_read_only: 'on' });
  await expect(isReachable(pool)).rejects.toMatchObject({ code: '25006' });
  expect(await isWritable()).toEqual({ transaction_read_only: 'off' });
  expect(await up()).toBe('1');
});

it('fails the transaction but not the process when a connection is lost during a statement', async () => {
  const work = inTransaction(pool, (client) => client.query('select pg_terminate_backend(pg_backend_pid()), pg_sleep(10)'));
  await expect(work).rejects.toBeInstanceOf(DatabaseUnavailableError);
});
