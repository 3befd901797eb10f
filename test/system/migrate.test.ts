import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

// Reverts the newest migrations; 0011 alters a table that the test reads.
const UNDO = `
  drop table schema_support;
  alter table admin.outbox drop column traceparent;
  alter table imports.outbox drop column traceparent;
  alter table text.outbox drop column traceparent;
  alter table imports.import drop column traceparent;
  delete from migration where name >= '0011'`;

it('does not hold up readers of a table that a long transaction uses, and finishes when it ends', async () => {
  const database = await createDatabase(inject('postgres'));
  const [long, reader] = [new Client(database.url), new Client(database.url)];
  await Promise.all([long.connect(), reader.connect()]);
  await reader.query(UNDO);
  await long.query('begin; select from admin.outbox');
  const logged: string[] = [];
  const migrated = migrate({ databaseUrl: database.url, log: (message) => logged.push(message) });
  await expect.poll(() => logged).toContain('a table is in use: the migration is repeated');
  await reader.query("set statement_timeout = '10s'");
  // Also while it retries.
  await expect.poll(() => logged.filter((message) => message.startsWith('a table is in use')).length).toBe(2);
  await expect(reader.query('select from admin.outbox')).resolves.toBeDefined();
  await long.query('commit');
  await migrated;
  expect(logged).toContain('migrated 0011_traces');
  await Promise.all([long.end(), reader.end()]);
  await database.drop();
});
