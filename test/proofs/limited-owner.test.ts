import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresAccount } from '@survey/local/account.ts';
import { startPostgres } from '@survey/local/postgres.ts';
import { loadSecrets } from '@survey/local/secrets.ts';
import { inspectDatabase } from '@survey/postgres/inspect-database.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { TestCertificates } from '../support/test-certificates.ts';
import { reportSkipped } from '../support/skipped.ts';

const TOOLS = fileURLToPath(new URL('../../.local/tools', import.meta.url));
const others = [15, 16, 18].filter((version) => existsSync(join(TOOLS, `postgres-${version}`)));
if (others.length < 3) reportSkipped('limited-owner', 'PostgreSQL 15, 16 and 18: `.ci/tools` brings them');

const folder = await mkdtemp(join(tmpdir(), 'survey-limited-owner-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

// The provider's server has a private authority, and as many connections as the profile assumes.
const profile = await readFile(new URL('../../charts/survey/profiles/managed.yaml', import.meta.url), 'utf8');
const { maxConnections } = (parse(profile) as { postgres: { maxConnections: number } }).postgres;
const certificates = new TestCertificates(folder);
certificates.makeAuthority('ca');
certificates.make('store', 'DNS:localhost');
const { uid, gid } = await postgresAccount();
await chmod(folder, 0o755);
await chmod(join(folder, 'store.key'), 0o600);
await chown(join(folder, 'store.key'), uid, gid);
const settings = {
  fsync: 'off',
  max_connections: String(maxConnections),
  ssl: 'on',
  ssl_cert_file: join(folder, 'store.crt'),
  ssl_key_file: join(folder, 'store.key'),
};
const VERIFIED = { hostname: 'localhost', search: `sslmode=verify-full&sslrootcert=${join(folder, 'ca.crt')}` };

const textOf = (runbook: string): Promise<string> =>
  readFile(new URL(`../../docs/runbooks/${runbook}.md`, import.meta.url), 'utf8');

async function runAs(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

it.each([17, ...others])(
  'an administrator who may only create roles and databases prepares migrations of %s',
  async (version) => {
    // A server of its own: roles belong to all databases of a server.
    if (version !== 17) vi.stubEnv('POSTGRES_BIN', join(TOOLS, `postgres-${version}`, 'native/bin'));
    const dataDir = join(folder, String(version));
    const server = await startPostgres({ dataDir, settings, superuserPassword: 'super', log: () => {} });
    onTestFinished(() => server.stop());
    vi.unstubAllEnvs();
    const statements =
      /```sql\n([^]*?)```/
        .exec(await textOf('install-managed'))?.[1]
        ?.trim()
        .split('\n') ?? [];
    expect(statements).toHaveLength(3);
    await runAs(server.url, [`create role administrator login createrole createdb password 'admin'`]);
    const url = (username: string, password: string, pathname: string): string =>
      Object.assign(new URL(server.url), { username, password, pathname, ...VERIFIED }).href;
    await runAs(url('administrator', 'admin', 'postgres'), statements);
    const databaseUrl = url('survey', 'PASSWORD', 'survey');
    const { rolePasswords } = await loadSecrets(join(folder, 'secrets.json'));
    await migrate({ databaseUrl, rolePasswords });
    // Again, as at the next upgrade, which sets the passwords of roles that exist.
    await migrate({ databaseUrl, rolePasswords });
    expect(await inspectDatabase(databaseUrl)).toMatchObject({
      serverVersion: expect.stringMatching(`^${version}\\.`),
      maxConnections,
      schemaMismatch: undefined,
      wrongRoles: [],
    });
    // What the owner, without a superuser, can ask about facts of all accounts.
    const rejected = `insert into export.dead_letter (account_id, stream_sequence, position, kind, source, line, reason)
      values (1, 1, 0, 'employee', 'publisher', 4712, 'test')`;
    await runAs(Object.assign(new URL(server.url), { pathname: 'survey' }).href, [rejected]);
    const owner = new Client({ connectionString: databaseUrl });
    await owner.connect();
    const asked = /psql survey-db -- survey -c "([^"]+)"/.exec(await textOf('DeadLetterNotEmpty'))?.[1] ?? 'nothing';
    expect((await owner.query(asked)).rows).toMatchObject([{ line: '4712' }]);
    await owner.end();
    // Runs the queries of runbooks about waiting imports as a service's role, because an operator
    // of a managed PostgreSQL has no superuser.
    const as = async (work: (client: Client) => Promise<void>): Promise<void> => {
      const client = new Client({ connectionString: url('survey_imports', rolePasswords.survey_imports, 'survey') });
      await client.connect();
      await work(client);
      await client.end();
    };
    const sqlOf = async (runbook: string): Promise<string> => /```sql\n([^]*?)```/.exec(await textOf(runbook))?.[1] ?? '';
    await as(async (working) => {
      await working.query('begin; select 4711');
      await as(async (client) => {
        expect((await client.query(await sqlOf('ImportSlow'))).rows).toEqual([]);
        expect(JSON.stringify((await client.query(await sqlOf('PgPoolExhausted'))).rows)).toContain('select 4711');
      });
    });
  },
);
