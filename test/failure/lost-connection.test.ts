import { connect, createServer, type AddressInfo } from 'node:net';
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

// What a server sends when it shuts down.
const ENDED = Buffer.from('E\0\0\0\x22SFATAL\0C57P01\0Mshutting down\0\0', 'latin1');
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

it('fails the transaction but not the process when the packet that accepts a connection also ends it', async () => {
  const { hostname, port } = new URL(database.url);
  await using server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('error', () => undefined).pipe(upstream);
    upstream.on('error', () => undefined);
    upstream.on('data', (data) => client.write(data.subarray(-READY.length).equals(READY) ? Buffer.concat([data, ENDED]) : data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = toolOf('test');
  const ending = openDatabase({ url: url.href, name: 'test', maxConnections: 2 }, own);
  await expect(inTransaction(ending, (client) => client.query('select 1'))).rejects.toBeInstanceOf(DatabaseUnavailableError);
  await own.resources.disposeAsync();
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
      // The copy may fail before the server answers this statement.
      await Promise.all([
        expect(work).rejects.toThrow(/connection was lost|canceled the statement/),
        pool.probe.query(ends, [rows[0]?.pid]),
      ]);
    });
  },
  20_000,
);
