import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

// Reverts the newest migration; it alters a table that the test reads.
const UNDO = `
  drop function admin.add_key_usage, admin.find_admin_accounts;
  drop table admin.key_usage, admin.account_issuer, admin.identity, imports.leaving;
  drop policy count_usage on admin.api_key;
  drop policy sign_in on imports.employee;
  drop policy sign_in on imports.account_state;
  drop index imports.employee_admin_by_email, imports.result_to_attend, imports.import_newest_first;
  alter table admin.api_key drop column name, drop column created_by, drop column ends_at, drop column last_used_at;
  alter table admin.audit drop column actor_kind, drop column actor_employee_id, drop column reason,
    drop column request_id, drop column address;
  delete from migration where name = '0018_console'`;

it('does not hold up readers of a table that a long transaction uses, and finishes when it ends', async () => {
  const database = await createDatabase(inject('postgres'));
  const [long, reader] = [new Client(database.url), new Client(database.url)];
  await Promise.all([long.connect(), reader.connect()]);
  await reader.query(UNDO);
  await long.query('begin; select from admin.api_key');
  const logged: string[] = [];
  const migrated = migrate({ databaseUrl: database.url, log: (message) => logged.push(message) });
  await expect.poll(() => logged).toContain('a table is in use: the migration is repeated');
  await reader.query("set statement_timeout = '10s'");
  // Also while it retries.
  await expect.poll(() => logged.filter((message) => message.startsWith('a table is in use')).length).toBe(2);
  await expect(reader.query('select from admin.api_key')).resolves.toBeDefined();
  await long.query('commit');
  await migrated;
  expect(logged).toContain('migrated 0018_console');
  await Promise.all([long.end(), reader.end()]);
  await database.drop();
});
