import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Client } from 'pg';
import { postgresAccount } from './account.ts';
import { prepareCluster, type Cluster } from './postgres-cluster.ts';
import { reservePort } from './ports.ts';
import { launchStore, type Progress, type StartedStore } from './store.ts';
import type { Command } from './supervise.ts';

const LISTEN = {
  listen_addresses: '127.0.0.1',
  // A socket path has at most 107 bytes, and the default folder belongs to root: TCP only.
  unix_socket_directories: '',
};

/** Sized for a laptop with two cores; as durable as in production. */
export const LAPTOP_SETTINGS = {
  max_connections: '200',
  track_activity_query_size: '16kB',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  // Compiling our short statements costs more than it saves.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
};

interface PostgresOptions {
  // Created if missing. The log is next to it, as `<dataDir>.log`.
  readonly dataDir: string;
  // Absent: one that is reserved here.
  readonly port?: number;
  // Server settings that override ours, such as { fsync: 'off' }.
  readonly settings?: Readonly<Record<string, string>>;
  // Password of the role `postgres`; set when the data directory is created.
  readonly superuserPassword: string;
  readonly log: Progress;
}

/**
 * Starts a real PostgreSQL 17 on 127.0.0.1. `url` is the superuser's, for the database `postgres`.
 * Reuses the data of an earlier run, even one that was killed.
 */
export async function startPostgres(options: PostgresOptions): Promise<StartedStore> {
  await mkdir(dirname(resolve(options.dataDir)), { recursive: true });
  const account = await postgresAccount(dirname(resolve(options.dataDir)));
  const cluster = await prepareCluster({ ...options, account });
  const port = options.port ?? (await reservePort());
  const url = `postgres://postgres:${encodeURIComponent(options.superuserPassword)}@127.0.0.1:${port}/postgres`;
  const command = commandLine(cluster, { ...LAPTOP_SETTINGS, ...LISTEN, ...options.settings, port: String(port) });
  return launchStore({ name: 'PostgreSQL', command, logFile: cluster.logFile, url, port, probe: () => connects(url) });
}

function commandLine({ account, dataDir, programs }: Cluster, settings: Record<string, string>): Command {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // INT is PostgreSQL's fast shutdown: TERM would wait until every client disconnects.
  return { ...account.wrap(programs.postgres, ['-D', dataDir, ...flags]), stopSignal: 'INT' };
}

async function connects(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}
