import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

// Reverts the newest migration. Its foreign keys lock admin.account against writers.
const UNDO = `drop schema text cascade; delete from migration where name > '0005'`;

it('does not block writers of a table that a long transaction writes, and finishes when it ends', async () => {
  const database = await createDatabase(inject('postgres'));
  const [long, writer] = [new Client(database.url), new Client(database.url)];
  await Promise.all([long.connect(), writer.connect()]);
  await writer.query(UNDO);
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
