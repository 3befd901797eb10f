import { Client } from 'pg';
import type { Stack } from './stack.ts';

/** A copy of a stack's database, in place of a dump. */
interface Backup extends AsyncDisposable {
  take(): Promise<void>;
  // Replaces the database by the copy. All of its connections end.
  restore(): Promise<void>;
}

export async function openBackup({ databaseName, databaseUrl }: Stack): Promise<Backup> {
  const url = new URL(databaseUrl);
  url.pathname = '/postgres';
  const server = new Client({ connectionString: url.href });
  await server.connect();
  const copy = `${databaseName}_backup`;
  return {
    take: async () => {
      // A template must have no connections.
      await server.query(`alter database ${databaseName} allow_connections false`);
      await server.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [databaseName]);
      await server.query(`create database ${copy} template ${databaseName}`);
      await server.query(`alter database ${databaseName} allow_connections true`);
    },
    restore: async () => {
      await server.query(`drop database ${databaseName} with (force)`);
      await server.query(`alter database ${copy} rename to ${databaseName}`);
    },
    [Symbol.asyncDispose]: async () => {
      await server.query(`drop database if exists ${copy} with (force)`);
      await server.end();
    },
  };
}
