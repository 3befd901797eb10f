import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSecrets } from '@survey/local/secrets.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { startCitus } from './support/citus.ts';
import { evidenceIn, type PostgresServer } from './support/postgres-server.ts';
import { testStores, type TestStores } from './support/stores.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresServer;
  }
}

const RUNS = fileURLToPath(new URL('../.local/test', import.meta.url));
const TEMPLATE = 'survey_template';

// Durability settings that tests do not need.
const FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '400',
  autovacuum: 'off',
};

/** Starts one PostgreSQL for the run, with a migrated template database. Returns the teardown. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeEarlierRuns();
  const folder = join(RUNS, String(process.pid));
  await mkdir(folder, { recursive: true });
  const { superuserPassword, rolePasswords } = await loadSecrets(join(folder, 'secrets.json'));
  const stores = await testStores(folder);
  const { server, stop } =
    process.env['TEST_BACKEND'] === 'citus'
      ? await startCitusServer({ rolePasswords, folder })
      : await startServer(stores, superuserPassword, { rolePasswords, folder });
  project.provide('postgres', server);
  return async () => {
    await stop();
    const evidence = stores.keepData ? await evidenceIn(folder) : '';
    if (evidence === '') await rm(folder, { recursive: true, force: true });
    else process.stderr.write(`\nleft for you to look at, until the next run:\n${evidence}`);
  };
}

interface StartedServer {
  readonly server: PostgresServer;
  readonly stop: () => Promise<void>;
}

async function startServer(
  stores: TestStores,
  superuserPassword: string,
  run: Pick<PostgresServer, 'rolePasswords' | 'folder'>,
): Promise<StartedServer> {
  const store = await stores.startPostgres({ settings: FORGETFUL, superuserPassword });
  const server: PostgresServer = { ...run, url: store.url, template: TEMPLATE };
  await createTemplate(server);
  return { server, stop: () => store.stop() };
}

async function startCitusServer(run: Pick<PostgresServer, 'rolePasswords' | 'folder'>): Promise<StartedServer> {
  const { url, workerUrls, stop } = await startCitus(run.folder);
  await migrate({ databaseUrl: url, rolePasswords: run.rolePasswords, distribute: true });
  const nodes = [url, ...workerUrls].map((node) => Object.assign(new URL(node), { pathname: 'postgres' }).href);
  const template = new URL(url).pathname.slice(1);
  const onNodes = async (statement: string): Promise<void> => {
    for (const node of nodes) await runOn(node, statement);
  };
  // A template must have no connections, also not of Citus between the nodes.
  await onNodes(`alter database ${template} allow_connections false`);
  await onNodes(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${template}'`);
  return {
    server: { ...run, url: nodes[0] ?? url, workerUrls: nodes.slice(1), template },
    stop: async () => {
      await onNodes(`alter database ${template} allow_connections true`);
      await stop();
    },
  };
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** The template database: our schema, no rows. */
export async function createTemplate({ url, template, rolePasswords }: PostgresServer): Promise<void> {
  const superuser = new Client({ connectionString: url });
  await superuser.connect();
  await superuser.query(`create database ${template}`);
  await superuser.end();
  const databaseUrl = new URL(url);
  databaseUrl.pathname = template;
  await migrate({ databaseUrl: databaseUrl.href, rolePasswords });
}

// Folders are named after their process id; those of running processes are kept.
async function removeEarlierRuns(): Promise<void> {
  const runs = await readdir(RUNS).catch(() => []);
  for (const pid of runs) if (!isRunning(Number(pid))) await rm(join(RUNS, pid), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
