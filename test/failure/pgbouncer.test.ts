import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { ROLES } from '@survey/postgres/migrate.ts';
import { answers } from '../support/answers.ts';
import { startFileStack } from '../support/file-stack.ts';
import { findPgBouncer, pgBouncerBefore } from '../support/pgbouncer.ts';
import { records } from '../support/records.ts';
import { openScoreFixture, released } from '../support/score-fixture.ts';
import { reportSkipped } from '../support/skipped.ts';

// Per role: concurrent imports plus one, as docs/scaling.md recommends. The pools of the services
// are larger.
const CONNECTIONS = 4;
const program = await findPgBouncer();
if (program === undefined) reportSkipped('pgbouncer', 'PgBouncer is not installed: `.ci/tools` takes it from Debian');
const files = await startFileStack({}, program === undefined ? undefined : pgBouncerBefore(program, CONNECTIONS));
const { api, operator, db, stack, importAndWait, listEmployees } = files;
const { fixture, state, ask } = await openScoreFixture(files);

describe.skipIf(program === undefined)('behind PgBouncer', () => {
  it('imports and reads many accounts concurrently over few connections in transaction mode', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => operator.createAccount()));
    const work = accounts.map(async (account) => {
      const outcomes = [await importAndWait(account, records(1, 300)), await importAndWait(account, records(1, 250))];
      expect(outcomes).toMatchObject([
        { state: 'applied', counts: { created: 300 } },
        { state: 'applied', counts: { offboarded: 50 } },
      ]);
      // Few enough that a slow machine answers each within its deadline.
      const pages = await Promise.all(Array.from({ length: 3 }, () => listEmployees(account)));
      expect(pages.map(({ employees }) => employees.filter(({ is_deleted }) => !is_deleted).length)).toEqual(
        pages.map(() => 250),
      );
      const other = await api.get('/v1/employees?limit=1', `${account.readKey}x`);
      expect(other.status).toBe(401);
    });
    await Promise.all(work);
  });

  it('ingests facts and returns the same scores as without PgBouncer', async () => {
    const account = await fixture();
    await state(account, 'response', ...answers({ 11: [5, 5, 5, 5, 1] }));
    expect(await ask(account, '11')).toMatchObject(released(80, 5));
  });

  it('limits the PostgreSQL connections of services to the pool size', async () => {
    const { rows } = await db.query<{ usename: string; count: number }>(
      `select usename, count(*)::int as count from pg_stat_activity where datname = $1 and usename like 'survey\\_%' group by 1`,
      [stack.databaseName],
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter(({ count }) => count > CONNECTIONS)).toEqual([]);
  });

  it('drops connection settings, which pgbouncer-roles.sql restores', async () => {
    const { rolePasswords, url: serverUrl } = inject('postgres');
    const asked = async (role: (typeof ROLES)[number]): Promise<unknown> => {
      const url = new URL(stack.poolerUrl ?? serverUrl);
      Object.assign(url, { username: role, password: rolePasswords[role] });
      const client = new Client({ connectionString: url.href, statement_timeout: 10_000 });
      // A terminated connection rejects its query and also emits an error event.
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query<{ timeout: string; idle: string }>(
        `select current_setting('statement_timeout') as timeout, current_setting('idle_in_transaction_session_timeout') as idle`,
      );
      await client.end();
      return rows[0];
    };
    expect(await asked('survey_export')).toEqual({ timeout: '0', idle: '0' });
    const statements = await readFile(new URL('../../deploy/examples/pgbouncer-roles.sql', import.meta.url), 'utf8');
    await db.query(statements.replaceAll('in database survey', `in database ${stack.databaseName}`));
    // The settings apply to new connections only.
    await db.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename like 'survey\\_%'`, [
      stack.databaseName,
    ]);
    for (const role of ROLES)
      await expect
        .poll(() => asked(role).catch(() => undefined))
        .toEqual({ timeout: '10s', idle: role === 'survey_imports' ? '1min' : '30s' });
  });
});
