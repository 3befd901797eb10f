import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { provision } from '@survey/bus/provision.ts';
import { startNats } from '@survey/local/nats.ts';
import { reservePort } from '@survey/local/ports.ts';
import { launchStore } from '@survey/local/store.ts';
import { TestCertificates } from '../support/test-certificates.ts';
import { onFailpoint } from '@survey/process/failpoint.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { reportSkipped } from '../support/skipped.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

const { stack, db, operator, importAndWait } = await startFileStack();
const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const SERVICES = ['gateway', 'export', 'import-reconciler', 'scoring-anonymity', 'text-analysis', 'account-admin'] as const;
const PROMETHEUS = fileURLToPath(new URL('../../.local/tools/prometheus', import.meta.url));
const ALERTS = new URL('../../charts/survey/alerts/', import.meta.url);
const loadedRules = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string(), state: z.string() })) })),
  }),
});
const firingAlerts = z.object({
  data: z.object({ alerts: z.array(z.object({ state: z.string(), labels: z.record(z.string(), z.string()) })) }),
});
if (!existsSync(PROMETHEUS)) reportSkipped('surveyctl-doctor', 'Prometheus: `.ci/tools` brings it');
const run = promisify(execFile);
const findings = z.object({
  findings: z.array(
    z.object({
      check: z.string(),
      status: z.enum(['ok', 'warning', 'failed']),
      detail: z.string(),
      runbook: z.string().optional(),
    }),
  ),
});
type Findings = z.output<typeof findings>['findings'];

describe('surveyctl doctor', () => {
  let folder = '';
  let certificate = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-doctor-'));
    certificate = join(folder, 'soon.crt');
    const subject = ['-subj', '/CN=test', '-days', '3', '-keyout', join(folder, 'key.pem'), '-out', certificate];
    await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...subject]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function doctor(
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ exitCode: number; found: Findings; output: string }> {
    const { services, natsUrl, databaseUrl, redisUrl } = stack;
    const env = {
      ...process.env,
      ACCOUNT_ADMIN_ADDRESS: services['account-admin'].address,
      NATS_URL: natsUrl,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      EXPORT_ADDRESS: services.export.address,
      NODE_EXTRA_CA_CERTS: '',
      ...more,
    };
    const { stdout, code } = await run(process.execPath, [SURVEYCTL, 'doctor', '--json'], { env }).then(
      (result) => ({ ...result, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    );
    return { exitCode: code, found: findings.parse(JSON.parse(stdout)).findings, output: stdout };
  }
  const of = (found: Findings, check: string) => found.find((one) => one.check === check);

  it('finds nothing when the stack works, and exits 0', async () => {
    const { exitCode, found } = await doctor();
    // Disk usage depends on this machine; the test's servers are of any version.
    const others = /^disk|^connections$|^database durability$|^(database|redis) server$/;
    expect(found.filter(({ status, check }) => status !== 'ok' && !others.test(check))).toEqual([]);
    expect(exitCode).toBe(0);
    expect(of(found, `disk ${tmpdir()}`)?.detail).toMatch(/^\d{7,} of \d{7,} bytes$/);
    expect(found.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'account-admin',
        'export',
        'bus',
        'streams with too few copies',
        'redis',
        'redis server',
        'monitoring',
        'schema',
        'connections',
        'clock',
        'database server',
        'statistics of account_id',
        'tables without statistics',
        'invalid indexes',
      ]),
    );
  });

  it('names the runbook, exits 1 and repeats no password when a store rejects it', async () => {
    const { exitCode, found, output } = await doctor({
      NATS_URL: 'nats://ops-tools:canary-password@127.0.0.1:1',
      DATABASE_URL: 'postgres://nobody:canary-password@127.0.0.1:1/survey',
      ACCOUNT_ADMIN_ADDRESS: '127.0.0.1:1',
      REDIS_URL: 'redis://:canary-password@127.0.0.1:1',
      SMTP_URL: 'smtp://canary-password@127.0.0.1:1',
    });
    expect(exitCode).toBe(1);
    expect(of(found, 'bus')).toMatchObject({ status: 'failed', runbook: 'NatsDown' });
    expect(of(found, 'database')).toMatchObject({ status: 'failed', runbook: 'PgDown' });
    expect(of(found, 'account-admin')).toMatchObject({ status: 'failed', runbook: 'NoReadyPods' });
    expect(of(found, 'redis')).toMatchObject({ status: 'failed', runbook: 'RedisDown' });
    expect(of(found, 'mail server')).toMatchObject({ status: 'failed', runbook: 'ImportMailsUndelivered' });
    expect(output).not.toContain('canary-password');
  });

  it('checks the mail server that the environment names', async () => {
    await using smtp = await startSmtpServer(0, () => 'none');
    const { found } = await doctor({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}` });
    expect(of(found, 'mail server')).toMatchObject({ status: 'ok' });
  });

  it.each([
    ['always', 'ok'],
    ['2m', 'warning'],
  ])('tells whether a server with sync_interval: %s keeps what it acknowledges: %s', async (syncInterval, status) => {
    const monitoringPort = await reservePort();
    const server = await startNats({ storeDir: join(folder, syncInterval), syncInterval, monitoringPort, log: () => undefined });
    const { found } = await doctor({ NATS_MONITORING_URL: `http://127.0.0.1:${monitoringPort}` });
    await server.stop();
    expect(of(found, 'bus sync')).toMatchObject({ status });
    expect(of(found, 'bus server')).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^nats-server \d+\.\d+\.\d+$/) });
  });

  it('names a stream of another version, and one that is missing with its consumers', async () => {
    const { natsUrl } = stack;
    const bus = await connect(readBusUrl(natsUrl));
    const manager = await jetstreamManager(bus);
    await manager.streams.update('EVENTS', { max_age: 600_000_000_000 });
    // A consumer alone is created again by its service.
    await manager.streams.delete('JOBS');
    try {
      const { exitCode, found } = await doctor();
      expect(of(found, 'streams and consumers missing')?.detail).toMatch(/stream JOBS.*consumer text-analysis-mask/);
      expect(of(found, 'streams and consumers of another version')).toMatchObject({
        status: 'failed',
        detail: expect.stringContaining('stream EVENTS'),
        runbook: 'PrepareJobFailed',
      });
      expect(exitCode).toBe(1);
    } finally {
      await bus.close();
      await provision({ natsUrl });
    }
  });

  it('fails for a schema that this version cannot use', async () => {
    const { rows } = await db.query<{ oldest_code: number }>('select oldest_code from public.schema_support');
    await db.query('update public.schema_support set oldest_code = 9999');
    try {
      const { exitCode, found } = await doctor();
      expect(of(found, 'schema')).toMatchObject({ status: 'failed', detail: expect.stringContaining('9999') });
      expect(exitCode).toBe(1);
    } finally {
      await db.query('update public.schema_support set oldest_code = $1', [rows[0]?.oldest_code]);
    }
  });

  it('warns of a database that plans badly, keeps a failed index, or can lose what it has confirmed', async () => {
    await db.query('alter table imports.employee alter column account_id set statistics 100');
    await db.query(
      `create table export.doctor with (autovacuum_enabled = off) as select n % 2 as n from generate_series(1, 20000) as n`,
    );
    await expect(db.query('create unique index concurrently doctor_n on export.doctor (n)')).rejects.toThrow('could not create');
    try {
      const { exitCode, found } = await doctor();
      expect(of(found, 'statistics of account_id')).toMatchObject({
        status: 'warning',
        detail: expect.stringMatching(/: imports\.employee$/),
      });
      expect(of(found, 'tables without statistics')?.detail).toMatch(/run ANALYZE on: export\.doctor$/);
      expect(of(found, 'invalid indexes')).toMatchObject({
        status: 'warning',
        detail: expect.stringMatching(/: export\.doctor_n$/),
      });
      expect(of(found, 'database durability')).toMatchObject({ status: 'warning', detail: expect.stringContaining('fsync') });
      expect(exitCode).toBe(0);
    } finally {
      await db.query('drop table export.doctor');
      await db.query('alter table imports.employee alter column account_id set statistics 0');
    }
  });

  it.skipIf(!existsSync(PROMETHEUS)).each([
    ['all services and alerts', 'survey', 'ok'],
    ['only those of another release', 'another', 'warning'],
  ])('tells whether Prometheus has %s', { timeout: 120_000 }, async (_title, release, status) => {
    const own = await mkdtemp(join(folder, 'prometheus-'));
    const files = (await readdir(ALERTS)).map(async (file) =>
      (await readFile(new URL(file, ALERTS), 'utf8')).replaceAll('$NAMESPACE', 'survey').replaceAll('$RELEASE', release),
    );
    const rules = (await Promise.all(files)).map((text) => parse(text));
    await writeFile(join(own, 'rules.yaml'), stringify({ groups: [{ name: 'survey', interval: '1s', rules }] }));
    const targets = SERVICES.map((name) => stack.services[name].probeAddress);
    const scrape = {
      job_name: 'survey',
      scrape_interval: '1s',
      honor_labels: true,
      static_configs: [{ targets, labels: { namespace: 'survey', release } }],
    };
    const config = { rule_files: ['rules.yaml'], scrape_configs: [scrape] };
    await writeFile(join(own, 'prometheus.yml'), stringify(config));
    const port = await reservePort();
    const url = `http://127.0.0.1:${port}`;
    const args = [`--config.file=${own}/prometheus.yml`, `--storage.tsdb.path=${own}`, `--web.listen-address=127.0.0.1:${port}`];
    const prometheus = await launchStore({
      name: 'Prometheus',
      command: { command: PROMETHEUS, args },
      logFile: join(own, 'log'),
      url,
      port,
      probe: async () => void (await fetch(`${url}/-/ready`)),
    });
    onTestFinished(() => prometheus.stop());
    const statuses = async () => {
      const { found } = await doctor({ PROMETHEUS_URL: url, PROMETHEUS_SELECTOR: 'namespace="survey",release="survey"' });
      return [of(found, 'services not scraped')?.status, of(found, 'alerts')?.status];
    };
    await expect.poll(statuses, { timeout: 60_000 }).toEqual([status, status]);
    if (status === 'warning') return;
    // On a sound installation, every rule can be evaluated and none fires.
    const states = async () => {
      const { data } = loadedRules.parse(await (await fetch(`${url}/api/v1/rules`)).json());
      return data.groups.flatMap((group) => group.rules.map(({ name, health, state }) => `${name}: ${health}, ${state}`)).sort();
    };
    const sound = rules.map(({ alert }) => `${alert}: ok, inactive`).sort();
    await expect.poll(states, { timeout: 30_000 }).toEqual(sound);
    // An import that stops in a phase fires the alert that names it.
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onTestFinished(() => {
      released.resolve();
      onFailpoint(undefined);
    });
    onFailpoint((name) => {
      if (name !== 'import.loaded') return Promise.resolve();
      reached.resolve();
      return released.promise;
    });
    const ended = importAndWait(await operator.createAccount(), [R(1)]);
    await reached.promise;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 700_000);
    const firing = async () => {
      const { data } = firingAlerts.parse(await (await fetch(`${url}/api/v1/alerts`)).json());
      return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
    };
    await expect.poll(firing, { timeout: 30_000 }).toEqual([expect.objectContaining({ alertname: 'ImportSlow', phase: 'plan' })]);
    released.resolve();
    await ended;
  });

  it('fails for a certificate that none of the authorities has signed', async () => {
    const certificates = new TestCertificates(folder);
    for (const authority of ['ca', 'other']) certificates.makeAuthority(authority);
    certificates.make('tool', 'DNS:localhost');
    const issuer = async (authority: string) =>
      of(
        (await doctor({ GRPC_CERT_FILE: join(folder, 'tool.crt'), GRPC_CA_FILE: join(folder, `${authority}.crt`) })).found,
        'certificate issuer',
      );
    expect(await issuer('ca')).toMatchObject({ status: 'ok' });
    expect(await issuer('other')).toMatchObject({ status: 'failed', runbook: 'rotate-secrets' });
  });

  it('warns of a certificate that expires within a week, and fails for a file without one', async () => {
    const { exitCode, found } = await doctor({ GRPC_CERT_FILE: certificate, NODE_EXTRA_CA_CERTS: certificate });
    for (const [check, runbook] of [
      ['certificate', 'CertExpiring'],
      ['authorities', 'rotate-secrets'],
    ])
      expect(of(found, `${check} ${certificate}`)).toMatchObject({ status: 'warning', runbook });
    expect(exitCode).toBe(0);
    const empty = join(folder, 'empty.crt');
    await writeFile(empty, '');
    const without = await doctor({ GRPC_CA_FILE: empty });
    expect(of(without.found, `certificate ${empty}`)).toMatchObject({ status: 'failed', detail: 'contains no certificate' });
    expect(without.exitCode).toBe(1);
  });
});
