import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { asSuperuser, type PostgresServer, type StartedServer } from './postgres-server.ts';

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

/**
 * Makes the database of a coordinator the template of a run: `url` is its superuser URL, and it has
 * no tables, or those of an earlier run.
 */
export async function openCitus(url: string, run: Pick<PostgresServer, 'rolePasswords' | 'folder'>): Promise<StartedServer> {
  const workerUrls = await workersOf(url);
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
    // For the next run.
    stop: () => onNodes(`alter database ${template} allow_connections true`),
  };
}
