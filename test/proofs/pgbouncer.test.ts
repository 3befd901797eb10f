import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { ROLES } from '@survey/postgres/migrate.ts';
import { reservePort } from '@survey/local/ports.ts';
import { roleUrl } from '@survey/local/service-environments.ts';
import { startService } from '@survey/local/service-process.ts';
import { answers } from '../support/answers.ts';
import { startFileStack } from '../support/file-stack.ts';
import { findPgBouncer, pgBouncerBefore } from '../support/pgbouncer.ts';
import { records } from '../support/records.ts';
import { openScoreFixture, released } from '../support/score-fixture.ts';
import { reportSkipped } from '../support/skipped.ts';

// Per role: concurrent imports with the short one, plus one, as docs/scaling.md recommends. The
// pools of the services are larger.
const CONNECTIONS = 5;
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

  it('passes surveyctl doctor, which fails where PgBouncer loses prepared statements, as before 1.21', async () => {
    expect(await poolerFinding(stack.poolerUrl)).toMatchObject({ status: 'ok' });
    const { databaseName: name, databaseUrl: url } = stack;
    const forgetful = await pgBouncerBefore(program ?? '', CONNECTIONS, 0)({ name, url }, inject('postgres'));
    try {
      const detail = expect.stringContaining('use PgBouncer 1.21 or later');
      expect(await poolerFinding(forgetful.url)).toMatchObject({ status: 'failed', detail, runbook: 'scale' });
    } finally {
      await forgetful.stop();
    }
  });

  it('fails surveyctl doctor and a first start with the code when it rejects startup parameters of services', async () => {
    const { databaseName: name, databaseUrl: url } = stack;
    const strict = await pgBouncerBefore(
      program ?? '',
      CONNECTIONS,
      200,
      'extra_float_digits',
    )({ name, url }, inject('postgres'));
    try {
      const detail = /unsupported startup parameter.*\(08P01\)/;
      expect(await poolerFinding(strict.url)).toMatchObject({ status: 'failed', detail: expect.stringMatching(detail) });
      const environment = {
        DATABASE_URL: roleUrl(strict.url, 'survey_export', inject('postgres').rolePasswords.survey_export),
        NATS_URL: stack.natsUrl,
        PROBE_LISTEN: `127.0.0.1:${await reservePort()}`,
      };
      const service = startService({ name: 'export', environment, onLine: () => {} });
      await expect.poll(() => service.lastLines().find((line) => line.includes('waiting to serve'))).toMatch(detail);
      await service.stop();
    } finally {
      await strict.stop();
    }
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

const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const findings = z.object({ findings: z.array(z.looseObject({ check: z.string() })) });

async function poolerFinding(poolerUrl = ''): Promise<unknown> {
  const url = Object.assign(new URL(poolerUrl), { username: 'survey_export', password: '' });
  const env = {
    ...process.env,
    ACCOUNT_ADMIN_ADDRESS: stack.services['account-admin'].address,
    DATABASE_POOLER_URL: url.href,
    DATABASE_POOLER_PASSWORD: inject('postgres').rolePasswords.survey_export,
  };
  // It exits 1 when a check failed.
  const { stdout } = await promisify(execFile)(process.execPath, [SURVEYCTL, 'doctor', '--json'], { env }).catch(
    (error: { stdout: string }) => error,
  );
  return findings.parse(JSON.parse(stdout)).findings.find(({ check }) => check === 'pooler');
}
