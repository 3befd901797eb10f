import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import type { Secrets } from './secrets.ts';
import type { Progress } from './store.ts';

const NAME = 'survey';

/**
 * Returns the URL of the database `survey`, which is created if missing. `serverUrl` is a
 * superuser's.
 */
export async function surveyDatabase(serverUrl: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [NAME]);
    if (rowCount === 0) await client.query(`create database ${NAME}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = NAME;
  return url.href;
}

/**
 * Migrates the schema to this version and sets each service role's password. `databaseUrl` is the
 * owner's. No service may run.
 */
export async function prepareDatabase(databaseUrl: string, { rolePasswords }: Secrets, log: Progress): Promise<void> {
  log('migrating the database');
  await migrate({ databaseUrl, rolePasswords, isAlone: true, log });
}
