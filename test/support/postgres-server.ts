import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Role } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';

/** The PostgreSQL of this run. */
export interface PostgresServer {
  // Superuser URL.
  readonly url: string;
  // Superuser URL of a replica, if there is one.
  readonly replicaUrl?: string;
  // Superuser URLs of the workers of a Citus cluster; the URL is then its coordinator's.
  readonly workerUrls?: readonly string[];
  // A database with our schema and no rows.
  readonly template: string;
  readonly rolePasswords: Readonly<Record<Role, string>>;
  // Folder of the run; removed at its end unless a test failed.
  readonly folder: string;
}

export interface StartedServer {
  readonly server: PostgresServer;
  readonly stop: () => Promise<void>;
}

export interface Database {
  readonly name: string;
  // Superuser URL.
  readonly url: string;
  readonly replicaUrl: string | undefined;
  drop(): Promise<void>;
}

/** Creates a database from the template in about 50 ms. */
export async function createDatabase({ url, replicaUrl, workerUrls = [], template }: PostgresServer): Promise<Database> {
  const name = `survey_${randomUUID().slice(0, 8)}`;
  // A copy of a database on every node is a Citus database: tables, shards and nodes are its rows.
  const onEachNode = async (statement: string): Promise<void> => {
    for (const node of [url, ...workerUrls]) await asSuperuser(node, statement);
  };
  // Copying files takes less than writing them to the log.
  await onEachNode(`create database ${name} template ${template} strategy file_copy`);
  const own = (server: string): string => Object.assign(new URL(server), { pathname: name }).href;
  return {
    name,
    url: own(url),
    replicaUrl: replicaUrl && own(replicaUrl),
    drop: () => onEachNode(`drop database ${name} with (force)`),
  };
}

export async function asSuperuser(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Records evidence of a failed test, so that the run keeps its folder. */
export async function noteEvidence(folder: string, line: string): Promise<void> {
  await appendFile(join(folder, 'evidence.txt'), `  ${line}\n`);
}

export async function evidenceIn(folder: string): Promise<string> {
  return readFile(join(folder, 'evidence.txt'), 'utf8').catch(() => '');
}
