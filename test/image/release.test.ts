import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openCustomer, podOf, type Customer } from './customer.ts';
import { docker, logsOf } from './docker.ts';
import { underLoad } from './load.ts';
import type { Release, RunningPod } from './release.ts';
import { bootstrapSecrets, jobOf, openSmallRelease, renderSmall } from './small-release.ts';

const SERVICES = ['account-admin', 'scoring-anonymity', 'export', 'import-reconciler', 'text-analysis', 'gateway'];
const { helm3 } = inject('tools');

// Docker replaces the cluster, except admission, scheduling and network policies.
describe.skipIf(helm3 === undefined)('the running small profile', () => {
  const secrets = bootstrapSecrets();
  const closing = new AsyncDisposableStack();
  let release: Release;
  let customer: Customer;

  const pod = (component: string): RunningPod => podOf(release, component);

  beforeAll(async () => {
    release = closing.use(await openSmallRelease(secrets, await renderSmall()));
  });
  afterAll(() => closing.disposeAsync());

  test('prepares the stores when two jobs run concurrently', async () => {
    const outcomes = await Promise.all([release.complete(jobOf(release)), release.complete(jobOf(release))]);
    expect(outcomes).toMatchObject([{ code: 0 }, { code: 0 }]);
  });

  test('makes every service ready', async () => {
    await Promise.all([...SERVICES, 'gateway', 'export', 'ops-tools'].map((component) => release.add(component)));
    expect(release.pods).toHaveLength(SERVICES.length + 3 + 3);
  });

  test('creates an account and keys in the toolbox', async () => {
    customer = await openCustomer(release);
    expect(customer.writeKey).toMatch(/^eng_live_/);
  });

  test('passes every check of helm test', async () => {
    const checks = release.cluster.manifests.filter(({ kind }) => kind === 'Pod');
    const outcomes = await Promise.all(
      checks.map(async (check) => ({ name: check.metadata.name, ...(await release.complete(check)) })),
    );
    expect(outcomes.map(({ name, code, output }) => ({ name, code, output: code === 0 ? '' : output }))).toEqual(
      ['gateway', 'doctor'].map((name) => ({ name: `survey-test-${name}`, code: 0, output: '' })),
    );
  });

  test('imports employees and lists them', async () => {
    await customer.applied(await customer.importEmployees(50));
    expect(await customer.read('/v1/employees?limit=1')).toMatchObject({ total_count: 50 });
  });

  test('rejects a caller without a certificate', async () => {
    const named = ['--env', 'ACCOUNT_ADMIN_ADDRESS=survey-account-admin.survey.svc.cluster.local:50051'];
    const network = ['run', '--rm', '--network', release.cluster.network, ...named, inject('image')];
    await expect(docker(...network, 'surveyctl', 'doctor')).rejects.toThrow(/failed +account-admin /);
  });

  test('fails no request when a gateway stops under load', async () => {
    const outcome = await underLoad(release, customer.readKey, async () => {
      expect(await release.stop(pod('gateway'))).toBe(0);
    });
    expect(outcome.failures).toEqual([]);
    expect(outcome.succeeded).toBeGreaterThan(100);
    await release.add('gateway');
  });

  test('fails no request when an upstream service stops under load', async () => {
    const outcome = await underLoad(release, customer.readKey, async () => {
      expect(await release.stop(pod('export'))).toBe(0);
      await release.add('export');
    });
    expect(outcome.failures).toEqual([]);
  });

  test('fails no request and loses no import during a rollout of every service under load', async () => {
    const uuids: string[] = [];
    const outcome = await underLoad(release, customer.readKey, async () => {
      for (const component of [...SERVICES.slice(0, -1), 'export', 'gateway', 'gateway']) {
        const old = pod(component);
        await release.add(component);
        if (component === 'import-reconciler') uuids.push(await customer.importEmployees(2_000));
        expect({ component, code: await release.stop(old) }).toEqual({ component, code: 0 });
      }
    });
    expect(outcome.failures).toEqual([]);
    for (const uuid of uuids) await customer.applied(uuid);
    expect(await customer.read('/v1/employees?limit=1')).toMatchObject({ total_count: 2_000 });
  });

  test('keeps services alive but not ready while PostgreSQL is frozen, and ready again afterwards', async () => {
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

  test('fails no request when Redis loses its data', async () => {
    const password = secrets['survey-redis']?.['password'] ?? '';
    const outcome = await underLoad(release, customer.readKey, async () => {
      expect(await docker('exec', '--env', `REDISCLI_AUTH=${password}`, pod('redis').id, 'redis-cli', 'FLUSHALL')).toBe('OK');
    });
    expect(outcome.failures).toEqual([]);
  });

  test('limits a NATS user to the permissions of its service', async () => {
    const servers = await pod('nats').at(4222);
    const as = (user: string) =>
      connect({ servers, user, pass: secrets['survey-nats']?.[user] ?? '', inboxPrefix: `_INBOX.${user}` });
    await using buses = new AsyncDisposableStack();
    const [exporter, application] = await Promise.all([as('export'), as('application')]);
    for (const bus of [exporter, application]) buses.defer(() => bus.close());
    const ask = (bus: typeof exporter, subject: string): Promise<string> =>
      bus.request(subject, '', { timeout: 3_000 }).then(
        (reply) => (reply.string().includes('"error"') ? 'error' : 'success'),
        (error: unknown) => (error instanceof Error ? error.message : 'failed'),
      );
    expect(await ask(exporter, '$JS.API.CONSUMER.INFO.INTAKE.export-survey')).toBe('success');
    expect(await ask(exporter, '$JS.API.CONSUMER.INFO.JOBS.import-reconciler')).toMatch(/permission/i);
    expect(await ask(exporter, '$JS.API.STREAM.DELETE.JOBS')).toMatch(/permission/i);
    expect(await ask(exporter, 'events.employee.created')).toMatch(/permission/i);
    expect(await ask(application, '$JS.API.STREAM.INFO.EVENTS')).toBe('success');
    expect(await ask(application, 'jobs.import')).toMatch(/permission/i);
    await expect(connect({ servers, timeout: 3_000, reconnect: false })).rejects.toThrow(/authorization/i);
  });

  test('logs no password and no API key', async () => {
    const passwords = Object.values(secrets).flatMap((secret) => Object.values(secret));
    const logs = await Promise.all(release.pods.map(async ({ id, component }) => [component, await logsOf(id)] as const));
    const leaking = logs.filter(([, log]) =>
      [...passwords, customer.readKey, customer.writeKey].some((secret) => log.includes(secret)),
    );
    expect(leaking.map(([component]) => component)).toEqual([]);
  });
});
