import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@survey/postgres/migrate.ts';
import { migrationNames, MIGRATIONS_FOLDER } from '@survey/postgres/migrations.ts';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

// The foreign keys of the next one lock admin.account against writers.
const APPLIED = 4;

/** Applies the first migrations to an empty database. */
async function migrateInPart(client: Client): Promise<void> {
  await client.query('create table migration (id serial primary key, name text not null, run_on timestamp not null)');
  for (const name of (await migrationNames()).slice(0, APPLIED)) {
    await client.query(await readFile(join(MIGRATIONS_FOLDER, `${name}.sql`), 'utf8'));
    await client.query('insert into migration (name, run_on) values ($1, now())', [name]);
  }
}

it('does not block writers of a table that a long transaction writes, and finishes when it ends', async () => {
  const database = await createDatabase({ ...inject('postgres'), template: 'template0' });
  const [long, writer] = [new Client(database.url), new Client(database.url)];
  await Promise.all([long.connect(), writer.connect()]);
  await migrateInPart(writer);
  await long.query("begin; insert into admin.account (name) values ('long')");
  const logged: string[] = [];
  const migrated = migrate({ databaseUrl: database.url, log: (message) => logged.push(message) });
  await expect.poll(() => logged).toContain('a table is in use: the migration is repeated');
  await writer.query("set statement_timeout = '10s'");
  // Also while it retries.
  await expect.poll(() => logged.filter((message) => message.startsWith('a table is in use')).length).toBe(2);
  await expect(writer.query("insert into admin.account (name) values ('other')")).resolves.toBeDefined();
  await long.query('commit');
  await migrated;
  expect(logged).toContain('migrated 0005_text');
  await Promise.all([long.end(), writer.end()]);
  await database.drop();
});
