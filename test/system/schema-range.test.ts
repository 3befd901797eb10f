import { roleUrl } from '@survey/local/service-environments.ts';
import { reservePort } from '@survey/local/ports.ts';
import { startService, waitUntilReady, type ServiceProcess } from '@survey/local/service-process.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { migrationNames } from '@survey/postgres/schema-compatibility.ts';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createDatabase, type Database } from '../support/postgres-server.ts';

const server = inject('postgres');
const names = await migrationNames();
const ours = names.length;

let database: Database;
let service: ServiceProcess | undefined;

beforeEach(async () => {
  database = await createDatabase(server);
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await database.drop();
});

async function inDatabase(statements: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<object>(statements);
  await client.end();
  return rows;
}

/** Collects the seconds in which the service queries its database; returns their number. */
function countQueries(): () => Promise<number> {
  const seconds = new Set<string>();
  return async () => {
    const rows = await inDatabase(
      "select date_trunc('second', state_change) as second from pg_stat_activity where application_name = 'export' and datname = current_database()",
    );
    for (const row of rows) seconds.add(JSON.stringify(row));
    return seconds.size;
  };
}

const lines = (): string => service?.lastLines().join('\n') ?? '';

/** Starts export in its own process without a bus, which it tolerates. Returns its probe port. */
function start(databaseUrl = database.url): Promise<string> {
  return startAt(roleUrl(databaseUrl, 'survey_export', server.rolePasswords.survey_export));
}

async function startAt(databaseUrl: string): Promise<string> {
  const probe = `127.0.0.1:${await reservePort()}`;
  const environment = {
    DATABASE_URL: databaseUrl,
    NATS_URL: 'nats://127.0.0.1:1',
    PROBE_LISTEN: probe,
  };
  service = startService({ name: 'export', environment, onLine: () => {} });
  return probe;
}

async function statusOf(probe: string, path: string): Promise<number> {
  return (await fetch(`http://${probe}${path}`)).status;
}

/** Expects it to run, and neither to serve nor to exit. */
async function expectToWait(probe: string, because: string): Promise<void> {
  await expect.poll(lines).toContain(because);
  expect(await statusOf(probe, '/livez')).toBe(200);
  expect(await statusOf(probe, '/readyz')).toBe(503);
  expect(lines()).not.toContain('"serving"');
}

describe('a service whose database', () => {
  it('is older than its own migrations waits, says once what to do, and serves as soon as it is migrated', async () => {
    const newest = names.at(-1);
    await inDatabase(`delete from migration where name = '${newest}'`);
    const probe = await start();
    await expectToWait(probe, `this version needs ${ours}: run prepare`);
    await expect.poll(countQueries()).toBeGreaterThanOrEqual(3);
    expect(service?.lastLines().filter((line) => line.includes('run prepare'))).toHaveLength(1);
    await inDatabase(`insert into migration (name, run_on) values ('${newest}', now())`);
    await waitUntilReady('export', probe);
  });

  it('is older stops on SIGTERM', async () => {
    await inDatabase(`delete from migration where name = '${names.at(-1)}'`);
    await expectToWait(await start(), 'run prepare');
    await service?.stop();
    expect(await service?.ended).toBe(0);
    expect(lines()).toContain('stopped before ready');
  });

  it('is empty but for its role waits, too', async () => {
    await inDatabase('drop table schema_support; drop table migration');
    await expectToWait(await start(), 'migrated to 0');
  });

  it('is newer by migrations that only expand serves, and the older migrate leaves it alone', async () => {
    await inDatabase("insert into migration (name, run_on) values ('9998_later', now()), ('9999_still_later', now())");
    await waitUntilReady('export', await start());
    await expect(migrate({ databaseUrl: database.url })).resolves.toBeUndefined();
  });

  it('no longer supports it ends, and says what to do', async () => {
    await inDatabase(`update schema_support set oldest_code = ${ours + 1}`);
    await start();
    expect(await service?.ended).toBe(1);
    expect(lines()).toContain(`the database works only with versions that know ${ours + 1}: deploy a newer version`);
  });

  it('supports it just so serves', async () => {
    await inDatabase(`update schema_support set oldest_code = ${ours}`);
    await expect(waitUntilReady('export', await start())).resolves.toBeUndefined();
  });

  it('is unavailable waits', async () => {
    const away = new URL(database.url);
    away.port = String(await reservePort());
    await expectToWait(await start(away.href), 'the database is unavailable');
  });

  it.each([
    ['password', (url: URL) => (url.password = 'canary'), 'password authentication failed for user \\"survey_export\\" (28P01)'],
    ['host name', (url: URL) => (url.hostname = 'no-such-host.invalid'), 'getaddrinfo ENOTFOUND no-such-host.invalid'],
    ['name of the database', (url: URL) => (url.pathname = '/nothing'), 'database \\"nothing\\" does not exist (3D000)'],
  ])('has another %s waits, and says so with the code and without the password', async (_, change, reason) => {
    const url = new URL(roleUrl(database.url, 'survey_export', server.rolePasswords.survey_export));
    change(url);
    await expectToWait(
      await startAt(url.href),
      `waiting to serve: the database is unavailable: no database connection: ${reason}`,
    );
    expect(lines()).not.toContain('canary');
    expect(lines()).not.toContain(server.rolePasswords.survey_export);
  });
});
