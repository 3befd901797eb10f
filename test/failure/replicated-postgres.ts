import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresAccount } from '@survey/local/account.ts';
import { prepareCluster } from '@survey/local/postgres-cluster.ts';
import { startFaultyPostgres, type FaultyStore } from './faulty-store.ts';

const run = promisify(execFile);

// The disk is of no interest.
export const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
  // A replica that was away finds what it has missed, soon.
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '200ms',
  // The log is more important than who reads: conflicts come at once.
  max_standby_streaming_delay: '0',
};

/** A PostgreSQL and a hot standby that streams from it. */
interface ReplicatedPostgres extends AsyncDisposable {
  readonly primary: FaultyStore;
  readonly replica: FaultyStore;
}

/** A cluster that was never started is a base backup as it is: the standby is a copy of its files. */
export async function startReplicatedPostgres(folder: string, superuserPassword: string): Promise<ReplicatedPostgres> {
  await using starting = new AsyncDisposableStack();
  const [own, copy] = [join(folder, 'primary'), join(folder, 'replica')];
  const dataDir = join(own, 'postgres');
  await prepareCluster({ account: await postgresAccount(), dataDir, settings: SETTINGS, superuserPassword, log: () => {} });
  await mkdir(copy, { recursive: true });
  await run('cp', ['--archive', dataDir, copy]);
  await writeFile(join(copy, 'postgres', 'standby.signal'), '');
  const primary = starting.use(await startFaultyPostgres(own, SETTINGS, superuserPassword));
  const settings = { ...SETTINGS, primary_conninfo: upstreamOf(primary) };
  const replica = starting.use(await startFaultyPostgres(copy, settings, superuserPassword));
  const running = starting.move();
  return { primary, replica, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** What a standby of this server is told. */
export function upstreamOf({ url }: Pick<FaultyStore, 'url'>): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}
