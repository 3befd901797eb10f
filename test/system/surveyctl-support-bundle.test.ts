import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { roleUrl } from '@survey/local/service-environments.ts';
import { Client } from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { startFileStack } from '../support/file-stack.ts';

const CANARY = 'canary-7f3a';
const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const BUSY = `select pid from pg_stat_activity where usename = 'survey_imports' and state = 'active' and query like 'select pg_sleep%'`;
const run = promisify(execFile);
const { stack, operator, importAndWait, db } = await startFileStack();
const account = await operator.createAccount({ connected: true });
await importAndWait(account, [{ import_id: CANARY, email: `${CANARY}@example.com`, firstname: CANARY, lastname: CANARY }]);

const folder = await mkdtemp(join(tmpdir(), 'survey-bundle-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const bundleSchema = z.object({
  versions: z.record(z.string(), z.string()),
  settings: z.record(z.string(), z.string()),
  findings: z.array(z.object({ check: z.string(), status: z.string() })),
  metrics: z.record(z.string(), z.string()),
  database: z.record(z.string(), z.array(z.looseObject({}))),
  logs: z.array(z.looseObject({})),
});
const line = (fields: object): string => JSON.stringify({ level: 'error', service: 'gateway', msg: 'request', ...fields });
// Lines with personal data, as a faulty service or another process might write them.
const LOGS = [
  line({ trace_id: 'one', account_id: 1, status: 500, firstname: CANARY }),
  `[pod/survey-gateway] ${line({ trace_id: 'two', duration_ms: 3 })}`,
  line({
    trace_id: 'two',
    err: { type: 'Error', message: CANARY, code: `no ${CANARY}`, stack: `Error: ${CANARY}\n    at serve (app.ts:1:1)` },
  }),
  `plain text of ${CANARY}`,
  `{ "broken": "${CANARY}`,
].join('\n');

async function bundle(name: string, ...options: string[]) {
  const logs = join(folder, 'log');
  await writeFile(logs, LOGS);
  const { services, databaseUrl, natsUrl, redisUrl } = stack;
  const env = {
    ...process.env,
    ACCOUNT_ADMIN_ADDRESS: services['account-admin'].address,
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    REDIS_URL: redisUrl,
    SMTP_URL: `smtps://user:${CANARY}@mail.example.org:465`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${CANARY}`,
    SOMETHING_ELSE: CANARY,
    SHUTDOWN_TIMEOUT_MS: '20000',
  };
  const file = join(folder, name);
  const args = [SURVEYCTL, 'support-bundle', file, '--metrics', services.gateway.probeAddress, '--logs', logs, ...options];
  await run(process.execPath, args, { env });
  const text = await readFile(file, 'utf8');
  return { file, text, content: bundleSchema.parse(JSON.parse(text)) };
}

describe('surveyctl support-bundle', () => {
  it('contains versions, settings, findings, metrics, statistics and log lines', async () => {
    const { file, content } = await bundle('first.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(content.versions).toMatchObject({ node: process.version, survey: '0.1.0' });
    expect(content.settings).toMatchObject({
      SHUTDOWN_TIMEOUT_MS: '20000',
      SMTP_URL: 'smtps://mail.example.org:465',
      OTEL_EXPORTER_OTLP_HEADERS: 'set',
    });
    expect(content.findings.map(({ check }) => check)).toEqual(expect.arrayContaining(['account-admin', 'schema', 'redis']));
    expect(content.metrics[stack.services.gateway.probeAddress]).toContain('http_request_duration_seconds');
    expect(content.database['tables']).toContainEqual(expect.objectContaining({ name: 'imports.employee' }));
    expect(content.database['sessions']?.length).toBeGreaterThan(0);
    expect(content.logs).toHaveLength(3);
    expect(content.logs[2]).toMatchObject({ trace_id: 'two', err: { type: 'Error', stack: ['at serve (app.ts:1:1)'] } });
  });

  it('contains the plan of a running statement without the values in it', async () => {
    const url = roleUrl(stack.databaseUrl, 'survey_imports', inject('postgres').rolePasswords.survey_imports);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('begin');
    await client.query(`set local survey.account_id = ${account.accountId}`);
    const running = client
      .query(`select pg_sleep(60) from imports.employee where account_id = ${account.accountId} and firstname = '${CANARY}'`)
      .catch(() => undefined);
    await expect.poll(async () => (await db.query(BUSY)).rowCount).toBe(1);
    const { text, content } = await bundle('plans.json');
    await db.query(`select pg_cancel_backend(pid) from (${BUSY}) busy`);
    await running;
    await client.end();
    expect(content.database['plans']?.[0]).toMatchObject({ role: 'survey_imports', state: 'active' });
    expect(JSON.stringify(content.database['plans']?.[0])).toContain('"Relation Name":"employee');
    expect(text).not.toContain(CANARY);
  });

  it('keeps the log lines of one trace only when it is given', async () => {
    const { content } = await bundle('trace.json', '--trace', 'two');
    expect(content.logs.map((one) => one['trace_id'])).toEqual(['two', 'two']);
  });

  it('contains no secret, personal data or key', async () => {
    const { text } = await bundle('canary.json');
    const password = new URL(stack.databaseUrl).password;
    for (const secret of [CANARY, account.readKey, account.writeKey, `:${password}@`]) expect(text).not.toContain(secret);
  });

  it('takes everything of a local stack from the file that npm start wrote', async () => {
    const home = join(folder, 'home');
    await mkdir(join(home, '.local'), { recursive: true });
    const { services, databaseUrl, natsUrl, redisUrl } = stack;
    const [admin, gateway] = [services['account-admin'], services.gateway];
    const logFile = join(home, '.local', 'services.log');
    await writeFile(logFile, LOGS);
    const written = {
      account_admin_address: admin.address,
      database_url: databaseUrl,
      nats_url: natsUrl,
      redis_url: redisUrl,
      services: {
        'account-admin': { serve: admin.address, probe: admin.probeAddress },
        export: { serve: services.export.address, probe: services.export.probeAddress },
        gateway: { serve: gateway.address, probe: gateway.probeAddress },
      },
      log_file: logFile,
    };
    await writeFile(join(home, '.local', 'stack.json'), JSON.stringify(written));
    const { PATH = '' } = process.env;
    await run(process.execPath, [SURVEYCTL, 'support-bundle', 'bundle.json'], { cwd: home, env: { PATH, HOME: home } });
    const content = bundleSchema.parse(JSON.parse(await readFile(join(home, 'bundle.json'), 'utf8')));
    const checks = content.findings.map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['account-admin', 'export', 'gateway', 'bus', 'schema', 'redis']));
    expect(content.metrics[gateway.probeAddress]).toContain('http_request_duration_seconds');
    expect(Object.keys(content.metrics)).toHaveLength(3);
    expect(content.database['tables']).toContainEqual(expect.objectContaining({ name: 'imports.employee' }));
    expect(content.logs).toHaveLength(3);
  });

  it('tells which probe port is none, and that there are no logs to read', async () => {
    const { content } = await bundle('ports.json', '--metrics', 'gateway', '[::1]:99999');
    expect(content.metrics).toMatchObject({ gateway: 'not host:port: gateway', '[::1]:99999': 'not host:port: [::1]:99999' });
    const refusal = { code: 2, stderr: expect.stringMatching(/^surveyctl: cannot read the log lines: ENOENT.*\n$/) };
    await expect(bundle('none.json', '--logs', '/no/such/file')).rejects.toMatchObject(refusal);
  });

  it('asks for a new file when the file exists', async () => {
    await bundle('twice.json');
    await expect(bundle('twice.json')).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/Name a new file/) });
  });
});
