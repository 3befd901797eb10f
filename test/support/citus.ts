import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

const UP = fileURLToPath(new URL('../../../shared/tools/citus/up.sh', import.meta.url));

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
  if (process.env['CITUS_URL'] !== undefined) return true;
  return access(UP).then(
    () => true,
    () => false,
  );
}

/** Returns the cluster of CITUS_URL, or starts one with its data in this folder. */
export async function startCitus(folder: string): Promise<CitusCluster> {
  const given = process.env['CITUS_URL'];
  if (given !== undefined) return { url: given, workerUrls: await workersOf(given), stop: () => Promise.resolve() };
  const data = join(folder, 'citus');
  const env = { ...process.env, SHARDS: '4', SHARED_BUFFERS: '128MB', SETTINGS: 'max_connections=500 autovacuum=off' };
  const { stdout } = await run(UP, [data], { env });
  const url = stdout.trim();
  return {
    url,
    workerUrls: await workersOf(url),
    stop: async () => {
      await run(join(dirname(UP), 'down.sh'), [data]);
    },
  };
}

async function workersOf(url: string): Promise<string[]> {
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
