import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inTransaction, type Client as Connection, type Pool } from '@survey/postgres/database.ts';
import { DatabaseUnavailableError, sqlState } from '@survey/postgres/database-error.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { openReplicaReader, type AccountReader } from '@survey/postgres/replica/reader.ts';
import { createLog } from '@survey/process/log.ts';
import { createMetrics } from '@survey/process/metrics.ts';
import { toolOf } from '@survey/process/tool.ts';
import { Client } from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { conditionalPage } from '../../services/export/src/lists/conditional-page.ts';
import { startFaultyPostgres, type FaultyStore } from './faulty-store.ts';
import { SETTINGS, startReplicatedPostgres, upstreamOf } from './replicated-postgres.ts';
import { startSwitch } from './switch.ts';

// Tests the read module on its own servers, for cases that are hard to create in a whole stack.
const closing = new AsyncDisposableStack();
const folder = await mkdtemp(join(inject('postgres').folder, 'replica-reads-'));
closing.defer(() => rm(folder, { recursive: true, force: true }));
const password = 'replicated';
const { primary, replica } = closing.use(await startReplicatedPostgres(folder, password));
afterAll(() => closing.disposeAsync());

const [ACCOUNT, OTHER] = [1, 2];
const CALL = {
  requestId: 'test',
  accountId: ACCOUNT,
  deadline: new Date(Date.now() + 600_000),
  signal: new AbortController().signal,
  log: createLog('test', 'error'),
};

interface Reader extends AsyncDisposable {
  readonly pool: Pool;
  readonly read: AccountReader;
  // Returns the number of reads with this result.
  readonly found: (how: string) => Promise<number>;
}

function readerOf(primaryUrl: string, replicaUrl = replica.url): Reader {
  const tools = { ...toolOf('test'), metrics: createMetrics('test') };
  const pool = openDatabase({ url: primaryUrl, name: 'test', maxConnections: 4 }, tools);
  const read = openReplicaReader(pool, { url: replicaUrl, name: 'test', maxConnections: 4, maxLagSeconds: 2 }, tools);
  const found = async (how: string): Promise<number> => {
    const metric = await tools.metrics.getSingleMetric('replica_reads_total')?.get();
    return metric?.values.find(({ labels }) => labels['result'] === how)?.value ?? 0;
  };
  return { pool, read, found, [Symbol.asyncDispose]: () => tools.resources.disposeAsync() };
}

const isReplica = async (client: Connection): Promise<boolean> => {
  const { rows } = await client.query<{ is: boolean }>('select pg_is_in_recovery() as is');
  return rows[0]?.is === true;
};

it.each(['before', 'after'])(
  'leaves an old primary that keeps its connections and only reads, noticed %s the host name changes',
  async (noticed) => {
    const portOf = ({ url }: FaultyStore): number => Number(new URL(url).port);
    // New connections reach the successor, open ones stay.
    await using name = await startSwitch(portOf(replica));
    const tools = { ...toolOf('test'), metrics: createMetrics('test') };
    await using _resources = tools.resources;
    const url = Object.assign(new URL(primary.url), { port: String(name.port) }).href;
    const pool = openDatabase({ url, name: 'test', maxConnections: 4 }, tools);
    const fill = () => Promise.all([1, 2, 3, 4].map(() => inTransaction(pool, isReplica)));
    const check = () => isReachable(pool).then(() => 'writes', sqlState);
    await (noticed === 'before' ? check() : pool.probe.query('select'));
    expect(await fill()).toEqual([true, true, true, true]);
    name.leadTo(portOf(primary));
    expect(await check()).toBe(noticed === 'before' ? 'writes' : '25006');
    expect(await fill()).toEqual([false, false, false, false]);
    expect(await tools.metrics.metrics()).toMatch(/database_up(?:{.*})? 1/);
  },
);

it('repeats a read on the primary when the replica cancels it for its recovery', async () => {
  await using reader = readerOf(primary.url);
  const { pool, read, found } = reader;
  await pool.query('create table seen as select 1 as row');
  const rowsSeen = async (client: Connection): Promise<object[]> =>
    (await client.query('select row, pg_is_in_recovery() as replica from seen')).rows;
  await expect.poll(() => read(ACCOUNT, rowsSeen)).toEqual([{ row: 1, replica: true }]);
  const failed = await found('failed');
  let runs = 0;
  const seen = await read(ACCOUNT, async (client) => {
    runs += 1;
    const rows = await rowsSeen(client);
    // Vacuum removes rows that the replica's database snapshot still sees.
    const outdated = async (): Promise<void> => void (await pool.query('delete from seen').then(() => pool.query('vacuum seen')));
    if (runs === 1) await Promise.all([client.query('select pg_sleep(20)'), outdated()]);
    return rows;
  });
  expect(seen).toEqual([]);
  expect(runs).toBe(2);
  expect(await found('failed')).toBe(failed + 1);
  await expect.poll(() => read(ACCOUNT, isReplica)).toBe(true);
});

it('never returns older data of an account than before, and does not affect other accounts', async () => {
  await using reader = readerOf(primary.url);
  const { pool, read } = reader;
  await expect.poll(() => read(ACCOUNT, isReplica)).toBe(true);
  const onReplica = new Client({ connectionString: replica.url });
  await onReplica.connect();
  await onReplica.query('select pg_wal_replay_pause()');
  await pool.query('create table shown ()');
  // The replica does not have this table, so a result proves that the primary was read.
  await read(ACCOUNT, (client) => client.query('select from shown'));
  expect(await read(ACCOUNT, isReplica)).toBe(false);
  expect(await read(OTHER, isReplica)).toBe(true);
  await onReplica.query('select pg_wal_replay_resume()');
  await onReplica.end();
  await expect.poll(() => read(ACCOUNT, isReplica)).toBe(true);
});

it('reads from the replica while the primary is unavailable, until the maximum lag', async () => {
  await using reader = readerOf(primary.url);
  const { read } = reader;
  await expect.poll(() => read(ACCOUNT, isReplica)).toBe(true);
  await primary.kill();
  expect(await read(ACCOUNT, isReplica)).toBe(true);
  const outcome = () =>
    read(ACCOUNT, isReplica).then(
      () => 'served',
      (error: unknown) => error,
    );
  await expect.poll(outcome).toBeInstanceOf(DatabaseUnavailableError);
  await primary.start();
  await expect.poll(outcome).toBe('served');
  await expect.poll(() => read(ACCOUNT, isReplica)).toBe(true);
});

it('does not repeat a statement on the primary when it exceeds its timeout', async () => {
  await using reader = readerOf(primary.url);
  const { read } = reader;
  await expect.poll(() => read(ACCOUNT, isReplica)).toBe(true);
  let runs = 0;
  const work = read(ACCOUNT, async (client) => {
    runs += 1;
    await client.query("set local statement_timeout = '50ms'");
    await client.query('select pg_sleep(5)');
  });
  await expect(work).rejects.toThrow('the server canceled the statement');
  expect(runs).toBe(1);
  expect(await read(ACCOUNT, isReplica)).toBe(true);
});

/** Starts a server on a copy of the files of the stopped replica. */
async function startCopy(name: string, settings: Readonly<Record<string, string>>): Promise<FaultyStore> {
  const own = join(folder, name);
  await mkdir(own);
  await promisify(execFile)('cp', ['--archive', join(folder, 'replica', 'postgres'), own]);
  return startFaultyPostgres(own, settings, password);
}

const position = async (on: Pool | Connection, which: string): Promise<number> => {
  const { rows } = await on.query<{ bytes: number }>(`select pg_wal_lsn_diff(${which}, '0/0')::bigint as bytes`);
  return rows[0]?.bytes ?? 0;
};

// A copy of the replica is promoted, another copy follows it, and the replica itself continues to
// follow the old primary.
it('after a failover reads only from a replica that follows the new primary, from its first restart point on', async () => {
  await replica.kill();
  await using promoted = await startCopy('promoted', SETTINGS);
  await using follower = await startCopy('follower', { ...SETTINGS, primary_conninfo: upstreamOf(promoted) });
  await replica.start();
  await using reader = readerOf(promoted.url);
  await reader.pool.query('select pg_promote()');
  await using old = readerOf(primary.url);
  await old.pool.query('create table lost as select * from generate_series(1, 10000)');
  const hasReplayed = (client: Connection): Promise<boolean> => client.query('select from lost').then(() => isReplica(client));
  await expect.poll(() => old.read(ACCOUNT, hasReplayed)).toBe(true);

  const replayed = await old.read(ACCOUNT, (client) => position(client, 'pg_last_wal_replay_lsn()'));
  // Longer than the allowed lag.
  const endsAt = performance.now() + 3_000;
  while (performance.now() < endsAt) {
    expect(replayed).toBeGreaterThan(await position(reader.pool, 'pg_current_wal_flush_lsn()'));
    expect(await reader.read(ACCOUNT, isReplica)).toBe(false);
    await sleep(100);
  }
  expect(await reader.found('stale')).toBeGreaterThanOrEqual(3);

  await using following = readerOf(promoted.url, follower.url);
  const onFollower = new Client({ connectionString: follower.url });
  await onFollower.connect();
  await following.pool.query('checkpoint');
  const isUsed = async (): Promise<boolean> => {
    await onFollower.query('checkpoint');
    return following.read(ACCOUNT, isReplica);
  };
  await expect.poll(isUsed).toBe(true);
  await onFollower.end();
});

/**
 * Returns what a client gets that has this ETag: the value of `listed`, whose version is random
 * (`question`) or counted (`name`).
 */
function listed({ read }: Reader, source: 'question' | 'name') {
  return async (etag = ''): Promise<{ readonly etag: string; readonly value: string }> => {
    const request = { limit: 1, offset: 0, accept_gzip: false, if_none_match: etag };
    const page = await conditionalPage(request, CALL, {
      read,
      sources: [source],
      // Time for a writer between version and page.
      load: async (client) => (await client.query<{ value: string }>('select value from listed, pg_sleep(0.005)')).rows,
      render: ([row]) => Promise.resolve({ json: Buffer.from(row?.value ?? ''), gzip: false }),
    });
    return { etag: page.etag ?? '', value: page.json.toString() };
  };
}

async function change(pool: Pool, value: string): Promise<void> {
  await pool.query(`
    with shown as (update listed set value = '${value}'),
      counted as (update imports.account_state set dictionary_version = dictionary_version + 1 where account_id = ${ACCOUNT})
    update export.list_version set version = gen_random_uuid() where account_id = ${ACCOUNT}`);
}

it('never gives a page the ETag of another one, on a replica and after a failover that lost commits [LISTS-ETAG-1]', async () => {
  await migrate({ databaseUrl: primary.url });
  await using reader = readerOf(primary.url);
  await reader.pool.query("create table listed as select 'first' as value");
  await reader.pool.query("insert into admin.account (name) values ('A')");
  await reader.pool.query(`insert into imports.account_state (account_id) values (${ACCOUNT})`);
  await reader.pool.query(`insert into export.list_version (account_id, list) values (${ACCOUNT}, 'question')`);
  const isListed = async (client: Connection): Promise<boolean> =>
    (await client.query('select from export.list_version')).rowCount === 1 && isReplica(client);
  await expect.poll(() => reader.read(ACCOUNT, isListed).catch(() => false)).toBe(true);

  await using onPrimary = readerOf(primary.url, primary.url);
  const values = new Map<string, string>();
  const etags = new Map<string, string>();
  const note = (source: string, { etag, value }: { etag: string; value: string }): void => {
    expect(etag).not.toBe('');
    expect(values.get(etag) ?? value).toBe(value);
    expect(etags.get(`${source} ${value}`) ?? etag).toBe(etag);
    values.set(etag, value);
    etags.set(`${source} ${value}`, etag);
  };
  const reads = (['question', 'name'] as const).flatMap((source) =>
    [reader, onPrimary].map((one) => async (): Promise<void> => {
      for (let count = 0; count < 60; count += 1) note(source, await listed(one, source)());
    }),
  );
  const write = async (): Promise<void> => {
    for (let count = 0; count < 100; count += 1) await change(reader.pool, `value ${count}`).then(() => sleep(5));
  };
  await Promise.all([write(), ...reads.map((all) => all())]);
  expect(values.size).toBeGreaterThan(20);
  expect(await reader.found('fresh')).toBeGreaterThan(20);

  await replica.kill();
  await using promoted = await startCopy('promoted-lists', SETTINGS);
  await using follower = await startCopy('follower-lists', { ...SETTINGS, primary_conninfo: upstreamOf(promoted) });
  await replica.start();
  await change(reader.pool, 'lost');
  await using failedOver = readerOf(promoted.url, follower.url);
  await failedOver.pool.query('select pg_promote()');
  await change(failedOver.pool, 'kept');
  await failedOver.pool.query('checkpoint');
  const onFollower = new Client({ connectionString: follower.url });
  await onFollower.connect();
  for (const source of ['question', 'name'] as const) {
    const lost = await listed(onPrimary, source)();
    expect(lost.value).toBe('lost');
    const kept = await listed(failedOver, source)(lost.etag);
    expect(kept.value).toBe('kept');
    expect(await listed(failedOver, source)(kept.etag)).toEqual({ etag: kept.etag, value: '' });
    const isUsed = async (): Promise<boolean> => {
      await onFollower.query('checkpoint');
      return failedOver.read(ACCOUNT, isReplica);
    };
    await expect.poll(isUsed).toBe(true);
    expect(await listed(failedOver, source)(lost.etag)).toEqual(kept);
  }
  await onFollower.end();
});
