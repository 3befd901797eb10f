import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@survey/postgres/migrate.ts';
import { migrationNames, MIGRATIONS_FOLDER } from '@survey/postgres/schema-compatibility.ts';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

// The foreign keys of the next one lock admin.account against writers.
const APPLIED = 4;

/** Applies the first migrations to an empty database. */
async function migrateInPart(client: Client, applied: number): Promise<void> {
  await client.query('create table migration (id serial primary key, name text not null, run_on timestamp not null)');
  for (const name of (await migrationNames()).slice(0, applied)) {
    await client.query(await readFile(join(MIGRATIONS_FOLDER, `${name}.sql`), 'utf8'));
    await client.query('insert into migration (name, run_on) values ($1, now())', [name]);
  }
}

it('does not block writers of a table that a long transaction writes, and finishes when it ends', async () => {
  const database = await createDatabase({ ...inject('postgres'), template: 'template0' });
  const [long, writer] = [new Client(database.url), new Client(database.url)];
  await Promise.all([long.connect(), writer.connect()]);
  await migrateInPart(writer, APPLIED);
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

it('builds an index concurrently once a transaction that writes its table ends', async () => {
  const database = await createDatabase(inject('postgres'));
  const client = new Client(database.url);
  await client.connect();
  await client.query("drop index imports.deferred_fact_in_order; delete from migration where name >= '0035'");
  await client.query('begin; lock table imports.deferred_fact in row exclusive mode');
  const logged: string[] = [];
  const migrated = migrate({ databaseUrl: database.url, log: (message) => logged.push(message) });
  await expect.poll(() => logged).toContain('a table is in use: the migration is repeated');
  await client.query('commit');
  await migrated;
  const valid = "select indisvalid from pg_index where indexrelid = 'imports.deferred_fact_in_order'::regclass";
  expect((await client.query(valid)).rows).toEqual([{ indisvalid: true }]);
  await client.end();
  await database.drop();
});

it('lets lists have validators at once only if no earlier release can be running [LISTS-ETAG-1]', async () => {
  const database = await createDatabase(inject('postgres'));
  const client = new Client(database.url);
  await client.connect();
  await client.query("insert into admin.account (name) values ('one')");
  for (const isAlone of [false, true]) {
    await migrate({ databaseUrl: database.url, isAlone });
    const { rows } = await client.query('select validators_from <= now() as now from admin.list_rendering');
    expect(rows).toEqual([{ now: isAlone }]);
  }
  await client.end();
  await database.drop();
});

it('makes codes with figures of the sentences that earlier releases stored', async () => {
  const database = await createDatabase({ ...inject('postgres'), template: 'template0' });
  const client = new Client(database.url);
  await client.connect();
  await migrateInPart(
    client,
    (await migrationNames()).findIndex((name) => name.endsWith('_import_reasons')),
  );
  await client.query("insert into admin.account (name) values ('one')");
  const stored = [
    ['1 record has an empty import_id: /employees/7'],
    [
      '12 records have an empty import_id: /employees/0, /employees/3 and 10 more',
      'offboarding 9 of 44 managed employees is 20.4545 %, above the threshold of 20 %',
    ],
    ['the same import_id is given twice: /employees/1 and /employees/5, /employees/2 and /employees/6 and 3 more'],
    ['offboarding 1 of 3 managed employees is 33.33333 %, above the threshold of 33.3333 %'],
    ['the REST API integration was disconnected before the import ran'],
    ['given up after 5 attempts'],
    ['given up after 2 attempts that ended the process of the service'],
    ['given up after 24 hours of faults of the service'],
    [],
  ];
  for (const [minute, sentences] of stored.entries())
    await client.query(
      `insert into imports.import (account_id, import_uuid, state, accepted_at, finished_at, plan_version, content_encoding, employees_total, cancel_reasons)
       values (1, gen_random_uuid(), 'cancelled', to_timestamp(60 * $1::integer), now(), 1, 'gzip', 1, $2)`,
      [minute, sentences],
    );
  await migrate({ databaseUrl: database.url });
  const { rows } = await client.query<{ reasons: unknown }>('select reasons from imports.import order by accepted_at');
  const reason = (code: string, figures: object) => ({ code, records: [], ...figures });
  expect(rows.map(({ reasons }) => reasons)).toEqual([
    [reason('import_id_blank', { count: 1, records: [7] })],
    [
      reason('import_id_blank', { count: 12, records: [0, 3] }),
      reason('deletion_threshold', { count: 9, managed: 44, threshold: '20' }),
    ],
    [reason('import_id_repeated', { count: 5, records: [1, 5, 2, 6] })],
    [reason('deletion_threshold', { count: 1, managed: 3, threshold: '33.3333' })],
    [reason('integration_disconnected', {})],
    [reason('attempts_failed', { count: 5 })],
    [reason('process_ended', { count: 2 })],
    [reason('service_faults', { count: 24 })],
    [],
  ]);
  await client.end();
  await database.drop();
});
