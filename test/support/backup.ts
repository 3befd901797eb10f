import { asSuperuser } from './postgres-server.ts';
import type { Stack } from './stack.ts';

/** A copy of a stack's database, in place of a dump. */
interface Backup extends AsyncDisposable {
  take(): Promise<void>;
  // Replaces the database by the copy. All of its connections end.
  restore(): Promise<void>;
}

export async function openBackup(
  { databaseName, databaseUrl }: Stack,
  // Superuser URLs of the workers of a Citus cluster.
  workerUrls: readonly string[] = [],
): Promise<Backup> {
  const nodes = [Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href, ...workerUrls];
  const copy = `${databaseName}_backup`;
  const onEachNode = async (statement: string): Promise<void> => {
    for (const node of nodes) await asSuperuser(node, statement);
  };
  return {
    take: async () => {
      // A template must have no connections.
      await onEachNode(`alter database ${databaseName} allow_connections false`);
      await onEachNode(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${databaseName}'`);
      await onEachNode(`create database ${copy} template ${databaseName}`);
      await onEachNode(`alter database ${databaseName} allow_connections true`);
    },
    restore: async () => {
      await onEachNode(`drop database ${databaseName} with (force)`);
      await onEachNode(`alter database ${copy} rename to ${databaseName}`);
    },
    [Symbol.asyncDispose]: () => onEachNode(`drop database if exists ${copy} with (force)`),
  };
}
