import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresAccount } from '@survey/local/account.ts';
import { prepareCluster } from '@survey/local/postgres-cluster.ts';
import { startFaultyPostgres, type FaultyStore } from './faulty-store.ts';

const run = promisify(execFile);

// No need to wait for the disk.
export const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
  // Keeps the log that a stopped replica needs to catch up.
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '200ms',
  // Replay has priority over reads, so conflicts occur immediately.
  max_standby_streaming_delay: '0',
};

/** A PostgreSQL server and its streaming replica. */
interface ReplicatedPostgres extends AsyncDisposable {
  readonly primary: FaultyStore;
  readonly replica: FaultyStore;
}

type Settings = Readonly<Record<string, string>>;

/** Creates both. The replica is a copy of the data directory, made before the first start. */
export async function startReplicatedPostgres(
  folder: string,
  superuserPassword: string,
  more: Settings = {},
): Promise<ReplicatedPostgres> {
  await using starting = new AsyncDisposableStack();
  const all = { ...SETTINGS, ...more };
  const [own, copy] = [join(folder, 'primary'), join(folder, 'replica')];
  const dataDir = join(own, 'postgres');
  await prepareCluster({ account: await postgresAccount(), dataDir, settings: all, superuserPassword, log: () => {} });
  await mkdir(copy, { recursive: true });
  await run('cp', ['--archive', dataDir, copy]);
  await writeFile(join(copy, 'postgres', 'standby.signal'), '');
  const primary = starting.use(await startFaultyPostgres(own, all, superuserPassword));
  const settings = { ...all, primary_conninfo: upstreamOf(primary) };
  const replica = starting.use(await startFaultyPostgres(copy, settings, superuserPassword));
  const running = starting.move();
  return { primary, replica, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Returns the settings of a replica of this server. */
export function upstreamOf({ url }: Pick<FaultyStore, 'url'>): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}
