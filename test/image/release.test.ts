import { randomUUID } from 'node:crypto';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { records } from '../records.ts';
import { docker, logsOf } from './docker.ts';
import { underLoad } from './load.ts';
import type { Release, RunningPod } from './release.ts';
import { bootstrapSecrets, jobOf, openSmallRelease } from './small-release.ts';

const SERVICES = ['account-admin', 'scoring-anonymity', 'export', 'import-reconciler', 'text-analysis', 'gateway'];
const { helm3 } = inject('tools');

// What a cluster would do, an engine does here: everything but admission, scheduling and the enforcement of network policies.
describe.skipIf(helm3 === undefined)('the small profile, running', () => {
  const secrets = bootstrapSecrets();
  const closing = new AsyncDisposableStack();
  let release: Release;
  let account = '';
  let readKey = '';
  let writeKey = '';

  const pod = (component: string): RunningPod => {
    const found = release.pods.find((one) => one.component === component);
    if (found === undefined) throw new Error(`no ${component} runs`);
    return found;
  };
  const surveyctl = (...args: string[]): Promise<string> => docker('exec', pod('ops-tools').id, 'surveyctl', ...args);
  const gatewayUrl = async (path: string): Promise<string> => `http://${await pod('gateway').at(8080)}${path}`;
  const importPeople = async (people: number): Promise<string> => {
    const response = await fetch(await gatewayUrl('/v1/employees/imports'), {
      method: 'POST',
      headers: { 'X-Api-Key': writeKey, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
      body: JSON.stringify({ employees: records(1, people) }),
    });
    const body = await response.text();
    expect({ status: response.status, body }).toMatchObject({ status: 202 });
    return z.object({ import_uuid: z.string() }).parse(JSON.parse(body)).import_uuid;
  };

  beforeAll(async () => {
    release = closing.use(await openSmallRelease(secrets));
  });
  afterAll(() => closing.disposeAsync());

  test('M1 two jobs at once prepare the stores, and both end well', async () => {
    const outcomes = await Promise.all([release.complete(jobOf(release)), release.complete(jobOf(release))]);
    expect(outcomes).toMatchObject([{ code: 0 }, { code: 0 }]);
  });

  test('every service becomes ready, as the chart runs it', async () => {
    await Promise.all([...SERVICES, 'gateway', 'export', 'ops-tools'].map((component) => release.add(component)));
    expect(release.pods).toHaveLength(SERVICES.length + 3 + 3);
  });

  test('O8 an operator makes an account and keys in the toolbox', async () => {
    const json = async (...args: string[]): Promise<Record<string, unknown>> => JSON.parse(await surveyctl(...args, '--json'));
    account = String((await json('account', 'create', '--name', 'First'))['account_id']);
    readKey = String((await json('key', 'create', '--account', account, '--scope', 'read'))['key']);
    writeKey = String((await json('key', 'create', '--account', account, '--scope', 'employees:write'))['key']);
    await surveyctl('integration', 'connect', '--account', account);
    expect(writeKey).toMatch(/^eng_live_/);
  });

  test('C12 helm test: every check of the release ends well', async () => {
    const checks = release.cluster.manifests.filter(({ kind }) => kind === 'Pod');
    const outcomes = await Promise.all(
      checks.map(async (check) => ({ name: check.metadata.name, ...(await release.complete(check)) })),
    );
    expect(outcomes.map(({ name, code, output }) => ({ name, code, output: code === 0 ? '' : output }))).toEqual(
      ['gateway', 'services', 'streams', 'schema'].map((name) => ({ name: `survey-test-${name}`, code: 0, output: '' })),
    );
  });

  test('an import comes in through the gateway, and out again', async () => {
    const uuid = await importPeople(50);
    await surveyctl('import', 'watch', uuid, '--account', account);
    const response = await fetch(await gatewayUrl('/v1/employees?limit=1'), { headers: { 'X-Api-Key': readKey } });
    expect(await response.json()).toMatchObject({ total_count: 50 });
  });

  test('N4 a service lets in nobody without a certificate', async () => {
    const network = ['run', '--rm', '--network', release.cluster.network, inject('image'), 'check', 'services'];
    await expect(docker(...network, 'survey-export.survey.svc.cluster.local:50051')).rejects.toThrow(/survey-export/);
  });

  test('A4 a gateway that is stopped under load fails no request', async () => {
    const outcome = await underLoad(release, readKey, async () => {
      expect(await release.stop(pod('gateway'))).toBe(0);
    });
    expect(outcome.failures).toEqual([]);
    expect(outcome.answered).toBeGreaterThan(100);
    await release.add('gateway');
  });

  test('A4 a service behind it that is stopped under load fails no request', async () => {
    const outcome = await underLoad(release, readKey, async () => {
      expect(await release.stop(pod('export'))).toBe(0);
      await release.add('export');
    });
    expect(outcome.failures).toEqual([]);
  });

  test('a rollout of every service under load fails no request and loses no import', async () => {
    const uuids: string[] = [];
    const outcome = await underLoad(release, readKey, async () => {
      for (const component of [...SERVICES.slice(0, -1), 'export', 'gateway', 'gateway']) {
        const old = pod(component);
        await release.add(component);
        if (component === 'import-reconciler') uuids.push(await importPeople(2_000));
        expect({ component, code: await release.stop(old) }).toEqual({ component, code: 0 });
      }
    });
    expect(outcome.failures).toEqual([]);
    for (const uuid of uuids) await surveyctl('import', 'watch', uuid, '--account', account);
    const response = await fetch(await gatewayUrl('/v1/employees?limit=1'), { headers: { 'X-Api-Key': readKey } });
    expect(await response.json()).toMatchObject({ total_count: 2_000 });
  });

  test('A2 with PostgreSQL frozen, services live on, are not ready, and come back by themselves', async () => {
    const address = await pod('export').at(9090);
    const probe = (path: string): Promise<number> =>
      fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(3_000) }).then(
        ({ status }) => status,
        () => 0,
      );
    await docker('pause', pod('postgres').id);
    try {
      expect(await probe('/livez')).toBe(200);
      expect(await probe('/readyz')).not.toBe(200);
      expect(await probe('/livez')).toBe(200);
    } finally {
      await docker('unpause', pod('postgres').id);
    }
    await expect.poll(() => probe('/readyz'), { timeout: 60_000 }).toBe(200);
  });

  test('B4 Redis forgets everything, and nobody notices', async () => {
    const password = secrets['survey-redis']?.['password'] ?? '';
    const outcome = await underLoad(release, readKey, async () => {
      expect(await docker('exec', '--env', `REDISCLI_AUTH=${password}`, pod('redis').id, 'redis-cli', 'FLUSHALL')).toBe('OK');
    });
    expect(outcome.failures).toEqual([]);
  });

  test('N6 a user of the bus may do what its service does, and nothing else', async () => {
    const servers = await pod('nats').at(4222);
    const as = (user: string) =>
      connect({ servers, user, pass: secrets['survey-nats']?.[user] ?? '', inboxPrefix: `_INBOX.${user}` });
    await using buses = new AsyncDisposableStack();
    const [exporter, application] = await Promise.all([as('export'), as('application')]);
    for (const bus of [exporter, application]) buses.defer(() => bus.close());
    const ask = (bus: typeof exporter, subject: string): Promise<string> =>
      bus.request(subject, '', { timeout: 3_000 }).then(
        (answer) => (answer.string().includes('"error"') ? 'error' : 'answered'),
        (error: unknown) => (error instanceof Error ? error.message : 'failed'),
      );
    expect(await ask(exporter, '$JS.API.CONSUMER.INFO.INTAKE.export-survey')).toBe('answered');
    expect(await ask(exporter, '$JS.API.CONSUMER.INFO.JOBS.import-reconciler')).toMatch(/permission/i);
    expect(await ask(exporter, '$JS.API.STREAM.DELETE.JOBS')).toMatch(/permission/i);
    expect(await ask(exporter, 'events.employee.created')).toMatch(/permission/i);
    expect(await ask(application, '$JS.API.STREAM.INFO.EVENTS')).toBe('answered');
    expect(await ask(application, 'jobs.import')).toMatch(/permission/i);
    await expect(connect({ servers, timeout: 3_000, reconnect: false })).rejects.toThrow(/authorization/i);
  });

  test('N7 no password stands in a log', async () => {
    const passwords = Object.values(secrets).flatMap((secret) => Object.values(secret));
    const logs = await Promise.all(release.pods.map(async ({ id, component }) => [component, await logsOf(id)] as const));
    const told = logs.filter(([, log]) => [...passwords, readKey, writeKey].some((secret) => log.includes(secret)));
    expect(told.map(([component]) => component)).toEqual([]);
  });
});
