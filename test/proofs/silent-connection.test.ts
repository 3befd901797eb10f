import { BinaryCopy } from '@survey/postgres/copy-in.ts';
import { copyOut } from '@survey/postgres/stream-rows.ts';
import { allowLongStatements, inAccount, inTransaction, inAccountRolledBack, type Client } from '@survey/postgres/database.ts';
import { DatabaseUnavailableError } from '@survey/postgres/database-error.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';
import { startSilentProxy, type SilentProxy } from '../failure/silent-proxy.ts';

// Shorter than in production; 5 s are added for the response of the server.
const STATEMENT_MS = 500;
const LOST_WITHIN_MS = STATEMENT_MS + 6_000;

const database = await createDatabase(inject('postgres'));
afterAll(() => database.drop());

interface Network extends AsyncDisposable {
  readonly proxy: SilentProxy;
  readonly pool: ReturnType<typeof openDatabase>;
}

// One for each test, so that the tests run at once: most of them wait for a limit.
async function openNetwork(): Promise<Network> {
  const url = new URL(database.url);
  const proxy = await startSilentProxy(Number(url.port));
  url.host = `127.0.0.1:${proxy.port}`;
  const context = toolOf('test');
  context.resources.defer(() => proxy[Symbol.asyncDispose]());
  const pool = openDatabase({ url: url.href, name: 'test', maxConnections: 1, statementTimeoutMs: STATEMENT_MS }, context);
  return { proxy, pool, [Symbol.asyncDispose]: () => context.resources.disposeAsync() };
}

/** Starts work, drops all packets during it, and measures how long its connection stays open. */
async function holdsFor(
  { proxy, pool }: Network,
  work: (client: Client, swallow: () => void) => Promise<unknown>,
): Promise<number> {
  const swallowed = Promise.withResolvers<void>();
  const swallow = (): void => {
    proxy.swallow();
    swallowed.resolve();
  };
  const outcome = inTransaction(pool, (client) => work(client, swallow)).catch((error: unknown) => error);
  await swallowed.promise;
  const startedAt = performance.now();
  expect(await outcome).toBeInstanceOf(DatabaseUnavailableError);
  const tookMs = performance.now() - startedAt;
  expect(pool.totalCount).toBe(0);
  proxy.heal();
  expect(await inTransaction(pool, (client) => client.query('select 1'))).toMatchObject({ rowCount: 1 });
  return tookMs;
}

describe.concurrent(
  'a connection that falls silent is given up within the limit of a statement and 5 s',
  { timeout: 30_000 },
  () => {
    it('when a statement is under way', async () => {
      await using network = await openNetwork();
      const work = async (client: Client, swallow: () => void): Promise<unknown> => {
        swallow();
        return client.query('select 1');
      };
      expect(await holdsFor(network, work)).toBeLessThan(LOST_WITHIN_MS);
    });

    it('when rows are copied in', async () => {
      await using network = await openNetwork();
      const work = async (client: Client, swallow: () => void): Promise<void> => {
        await client.query('create temp table kept (value text)');
        const copy = new BinaryCopy(client, 'copy kept from stdin (format binary)');
        swallow();
        for (;;) {
          copy.row(1);
          copy.text('x'.repeat(1_000));
          await copy.flush();
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      expect(await holdsFor(network, work)).toBeLessThan(LOST_WITHIN_MS);
    });

    it('when rows are copied out', async () => {
      await using network = await openNetwork();
      const work = async (client: Client, swallow: () => void): Promise<unknown> => {
        swallow();
        return copyOut(client, 'copy (select generate_series(1, 1000000)) to stdout').toArray();
      };
      expect(await holdsFor(network, work)).toBeLessThan(LOST_WITHIN_MS);
    });

    it('when the transaction is committed', async () => {
      await using network = await openNetwork();
      const work = (_client: Client, swallow: () => void): Promise<void> => Promise.resolve(swallow());
      expect(await holdsFor(network, work)).toBeLessThan(LOST_WITHIN_MS);
    });
  },
);

it.concurrent(
  'within 30 s during a statement with a long timeout when the server no longer executes it',
  { timeout: 60_000 },
  async () => {
    await using network = await openNetwork();
    const work = async (client: Client, swallow: () => void): Promise<unknown> => {
      await allowLongStatements(client, 15 * 60_000);
      const asked = client.query('select 1');
      swallow();
      network.proxy.heal();
      return asked;
    };
    expect(await holdsFor(network, work)).toBeLessThan(30_000);
  },
);

it.concurrent('lets a statement that may take minutes go on while the server works on it', { timeout: 60_000 }, async () => {
  await using network = await openNetwork();
  const work = async (client: Client): Promise<unknown> => {
    await allowLongStatements(client, 15 * 60_000);
    return client.query('select pg_sleep(21)');
  };
  expect(await inTransaction(network.pool, work)).toMatchObject({ rowCount: 1 });
});

it.concurrent('finds the server reachable while all connections of the pool are busy, and not while it is silent', async () => {
  await using network = await openNetwork();
  const { pool, proxy } = network;
  await inTransaction(pool, async () => {
    expect(await isReachable(pool)).toBe(true);
  });
  proxy.swallow();
  await expect(isReachable(pool)).rejects.toThrow('timeout');
});

describe.concurrent('a transaction whose caller has disconnected', () => {
  const leaving = () => {
    const caller = new AbortController();
    return { signal: caller.signal, leave: () => caller.abort(new Error('left')) };
  };

  it('ends within a second in the middle of a statement, here and on the server', async () => {
    await using network = await openNetwork();
    const { pool } = network;
    const { signal, leave } = leaving();
    const work = inAccountRolledBack(
      pool,
      1,
      async (client) => {
        await allowLongStatements(client, 60_000);
        setTimeout(leave, 50);
        await client.query('select pg_sleep(30) as abandoned');
      },
      signal,
    );
    await expect(work).rejects.toThrow('left');
    expect(pool.totalCount).toBe(0);
    const abandoned = `select from pg_stat_activity where datname = current_database() and query like '%as abandoned' and pid <> pg_backend_pid()`;
    await vi.waitFor(async () => expect((await pool.query(abandoned)).rowCount).toBe(0), 3_000);
  });

  it('ends at once while it waits for a connection, which the next one gets', async () => {
    await using network = await openNetwork();
    const { pool } = network;
    const { signal, leave } = leaving();
    await inAccount(pool, 1, async () => {
      const waiting = inAccountRolledBack(pool, 1, () => Promise.resolve(), signal);
      leave();
      await expect(waiting).rejects.toThrow('left');
    });
    expect(await inAccount(pool, 1, (client) => client.query('select 1'))).toMatchObject({ rowCount: 1 });
  });
});

it.concurrent('a transaction on a read-only server gives up its connection and is worth another try [25006]', async () => {
  await using network = await openNetwork();
  const { pool } = network;
  const work = (client: Client): Promise<unknown> => client.query('set transaction read only; create table rejected (id int)');
  await expect(inTransaction(pool, work)).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(pool.totalCount).toBe(0);
});
