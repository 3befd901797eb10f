import { inTransaction, type Client } from '@survey/postgres/database.ts';
import { BinaryCopy } from '@survey/postgres/copy-in.ts';
import { DatabaseUnavailableError } from '@survey/postgres/database-error.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

const database = await createDatabase(inject('postgres'));
const context = toolOf('test');
const pool = openDatabase({ url: database.url, name: 'test', maxConnections: 2 }, context);

afterAll(async () => {
  await context.resources.disposeAsync();
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

it.each([
  ['the connection is lost', 'select pg_terminate_backend($1)'],
  ['the server rejects it', 'select pg_cancel_backend($1)'],
])(
  'abandons a copy whose rows the server does not expect yet when %s',
  async (_, ends) => {
    await pool.query('create table if not exists copied (id integer)');
    await inTransaction(pool, async (holder) => {
      await holder.query('lock table copied');
      const work = inTransaction(pool, async (client) => {
        const copy = new BinaryCopy(client, 'copy copied from stdin (format binary)');
        try {
          await copy.end();
        } finally {
          await copy.abort();
        }
      });
      const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and query like 'copy copied%'";
      await expect.poll(async () => (await pool.probe.query(waiting)).rowCount).toBe(1);
      const { rows } = await pool.probe.query<{ pid: number }>(waiting);
      await pool.probe.query(ends, [rows[0]?.pid]);
      await expect(work).rejects.toThrow(/connection was lost|canceling statement/);
    });
  },
  20_000,
);
