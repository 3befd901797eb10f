import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSecrets } from '@survey/local/secrets.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { openCitus } from './support/citus.ts';
import { evidenceIn, type PostgresServer, type StartedServer } from './support/postgres-server.ts';
import { obtainServers } from './support/processes.ts';
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
  const { TEST_BACKEND, CITUS_URL } = process.env;
  if (TEST_BACKEND !== 'containers') await obtainServers();
  const { server, stop } =
    TEST_BACKEND === 'citus'
      ? await openCitus(CITUS_URL ?? '', { rolePasswords, folder })
      : await startServer(stores, superuserPassword, { rolePasswords, folder });
  project.provide('postgres', server);
  return async () => {
    await stop();
    const evidence = stores.keepData ? await evidenceIn(folder) : '';
    // Servers of shared stacks end with their processes, which may be a moment later.
    if (evidence === '') await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
    else process.stderr.write(`\nleft for you to look at, until the next run:\n${evidence}`);
  };
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
