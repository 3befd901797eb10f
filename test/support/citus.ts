import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { asSuperuser, type PostgresServer, type StartedServer } from './postgres-server.ts';

const run = promisify(execFile);

const UP = fileURLToPath(new URL('../../../shared/tools/citus/up.sh', import.meta.url));
const SERVER = '/usr/lib/postgresql/15/bin/postgres';

export const NO_CITUS = `--backend=citus needs a Citus cluster. Either of these helps:
  CITUS_URL=…  superuser URL of a coordinator's database with the extension and nodes, and without tables
  ${UP}  starts a coordinator and two workers`;

interface CitusCluster {
  // Superuser URL of the coordinator's database.
  readonly url: string;
  // Superuser URLs of the same database on the workers.
  readonly workerUrls: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Whether tests can have a cluster. */
export async function isCitusAvailable(): Promise<boolean> {
  return process.env['CITUS_URL'] !== undefined || canStartNodes();
}

/** Whether startNodes can work. */
export async function canStartNodes(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const found = await Promise.allSettled([UP, SERVER].map((file) => access(file)));
  return found.every(({ status }) => status === 'fulfilled');
}

/** Starts a coordinator and workers with their data in the folder. */
export async function startNodes(
  data: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const { stdout } = await run(UP, [data], { env: { ...process.env, ...settings } });
  return {
    // Superuser URL of the coordinator's database.
    url: stdout.trim(),
    stop: async () => {
      await run(join(dirname(UP), 'down.sh'), [data]);
    },
  };
}

async function startCitus(folder: string, given: string | undefined): Promise<CitusCluster> {
  if (given !== undefined) return { url: given, workerUrls: await workersOf(given), stop: () => Promise.resolve() };
  const nodes = await startNodes(join(folder, 'citus'), {
    SHARDS: '4',
    SHARED_BUFFERS: '128MB',
    SETTINGS: 'max_connections=500 autovacuum=off',
  });
  return { ...nodes, workerUrls: await workersOf(nodes.url) };
}

/** Returns superuser URLs of the coordinator's database on the workers. */
export async function workersOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ nodename: string; nodeport: number }>(
      'select nodename, nodeport from pg_dist_node where groupid <> 0 and isactive order by nodeid',
    );
    return rows.map(({ nodename, nodeport }) => Object.assign(new URL(url), { hostname: nodename, port: nodeport }).href);
  } finally {
    await client.end();
  }
}

/** Starts a cluster with its data in the run's folder, or uses that of a coordinator's URL. */
export async function startCitusServer(
  run: Pick<PostgresServer, 'rolePasswords' | 'folder'>,
  given: string | undefined,
): Promise<StartedServer> {
  const { url, workerUrls, stop } = await startCitus(run.folder, given);
  await migrate({ databaseUrl: url, rolePasswords: run.rolePasswords, distribute: true });
  const nodes = [url, ...workerUrls].map((node) => Object.assign(new URL(node), { pathname: 'postgres' }).href);
  const template = new URL(url).pathname.slice(1);
  const onNodes = async (statement: string): Promise<void> => {
    for (const node of nodes) await asSuperuser(node, statement);
  };
  // A template must have no connections, also not of Citus between the nodes.
  await onNodes(`alter database ${template} allow_connections false`);
  await onNodes(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${template}'`);
  return {
    server: { ...run, url: nodes[0] ?? url, workerUrls: nodes.slice(1), template },
    stop: async () => {
      // For the next run.
      if (given !== undefined) await onNodes(`alter database ${template} allow_connections true`);
      await stop();
    },
  };
}
