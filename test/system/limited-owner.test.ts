import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@survey/local/postgres.ts';
import { loadSecrets } from '@survey/local/secrets.ts';
import { inspectDatabase } from '@survey/postgres/inspect-database.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { afterAll, expect, it } from 'vitest';

const folder = await mkdtemp(join(tmpdir(), 'survey-limited-owner-'));
const closing = new AsyncDisposableStack();
closing.defer(() => rm(folder, { recursive: true, force: true }));
afterAll(() => closing.disposeAsync());
// A server of its own: roles belong to all databases of a server.
const settings = { fsync: 'off' };
const server = await startPostgres({ dataDir: join(folder, 'postgres'), settings, superuserPassword: 'super', log: () => {} });
closing.defer(() => server.stop());

async function runAs(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

it('the administrator of a provider, who may only create roles and databases, prepares what migrations need', async () => {
  const page = await readFile(new URL('../../docs/runbooks/install-managed.md', import.meta.url), 'utf8');
  const statements = /```sql\n([^]*?)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
  expect(statements).toHaveLength(3);
  await runAs(server.url, [`create role administrator login createrole createdb password 'admin'`]);
  const url = (username: string, password: string, pathname: string): string =>
    Object.assign(new URL(server.url), { username, password, pathname }).href;
  await runAs(url('administrator', 'admin', 'postgres'), statements);
  const databaseUrl = url('survey', 'PASSWORD', 'survey');
  const { rolePasswords } = await loadSecrets(join(folder, 'secrets.json'));
  await migrate({ databaseUrl, rolePasswords });
  // Again, as at the next upgrade, which sets the passwords of roles that exist.
  await migrate({ databaseUrl, rolePasswords });
  expect(await inspectDatabase(databaseUrl)).toMatchObject({ schemaMismatch: undefined, wrongRoles: [] });
});
