import { readEnvironment } from '@survey/process/environment.ts';
import { describe, expect, inject, test } from 'vitest';
import { combinations, PROFILES, render } from '../support/chart/render.ts';
import { secretFilesOf } from '../support/chart/manifest.ts';
import { configOf, renderOf, type Pod, type Render } from '../support/chart/rendered.ts';
import { ENVIRONMENTS } from './service-environments.ts';

// Variables read by the process supervisor, Node or a command run in the container.
const OTHERS = [
  'DRAIN_DELAY_MS',
  'SHUTDOWN_TIMEOUT_MS',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'PGPASSWORD',
  'NATS_PASSWORD',
  'REDIS_PASSWORD',
  // Read by OpenTelemetry's exporter, and the parts of its resource attributes.
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'POD_NAME',
  'POD_UID',
  'NODE_NAME',
];
const ALSO = new Map([['account-admin', ['ACCOUNT_ADMIN_ADDRESS', 'IMPORT_RECONCILER_ADDRESS', 'TEXT_ANALYSIS_ADDRESS']]]);

// Deliberately without a chart value: one value fits every cluster (`extraEnv` can set another),
// it needs a volume, the image sets it, or only fault tests do.
const ONLY_EXTRA_ENV = new RegExp(
  `^(${[
    'OTEL_(SDK_DISABLED|TRACES_EXPORTER|BSP_.*|EXPORTER_OTLP_.*)',
    'MASKER_MODEL_DIR|NODE_ENV|FAILPOINTS',
    'MAIL_(TIMEOUT|RETRY_INITIAL|RETRY_MAX)_SECONDS',
    'MAX_CONCURRENT_(HEAVY_)?READS(_PER_ACCOUNT)?|MAX_EVENT_LOOP_DELAY_MS|SIGN_INS_PER_MINUTE|MAX_INFLATION_RATIO|SWEEP_INTERVAL_SECONDS|IDLE_IN_TRANSACTION_TIMEOUT_SECONDS|TOPIC_MODEL_TRAIN_AFTER_DECISIONS',
  ].join('|')})$`,
);

const { helm3 } = inject('tools');

const serviceOf = ({ spec }: Pod): string => spec.containers?.[0]?.name ?? '';
const servicesIn = ({ pods }: Render): Pod[] =>
  pods.filter((pod) => pod.owner.kind === 'Deployment' && ENVIRONMENTS.has(serviceOf(pod)));

// A render does not contain the values of secrets: any long URL represents them.
function environmentOf({ owner, spec }: Pod, rendered: Render): Record<string, string> {
  const given = spec.containers?.[0]?.env?.map(({ name, value = '' }) => [name, value]) ?? [];
  const secret = secretFilesOf(spec).map(({ path }) => [path, 'smtp://mail.example.org/of-some-length']);
  return { ...configOf(owner, rendered), ...Object.fromEntries([...given, ...secret]) };
}

describe.skipIf(helm3 === undefined)('settings', () => {
  const files = [...PROFILES.map((profile) => `profiles/${profile}.yaml`), 'ci/traces-values.yaml'];
  test.each(files)('of %s are valid, and services read all of them', async (file) => {
    const rendered = renderOf(await render({ values: [file] }));
    const services = servicesIn(rendered);
    expect(services).toHaveLength(ENVIRONMENTS.size);
    for (const pod of services) {
      const name = serviceOf(pod);
      const shape = ENVIRONMENTS.get(name) ?? {};
      const environment = environmentOf(pod, rendered);
      expect(() => readEnvironment(shape, environment)).not.toThrow();
      const unread = Object.keys(environment).filter(
        (key) => !(key in shape) && ![...OTHERS, ...(ALSO.get(name) ?? [])].includes(key),
      );
      expect({ name, unread }).toEqual({ name, unread: [] });
    }
  });

  test('with a collector make every service send spans under its name, pod and node', async () => {
    const rendered = renderOf(await render({ values: ['ci/traces-values.yaml'] }));
    const services = rendered.pods.filter(({ owner }) => owner.kind === 'Deployment');
    expect(services).toHaveLength(ENVIRONMENTS.size);
    for (const { owner, spec } of services) {
      const name = spec.containers?.[0]?.name ?? '';
      expect(configOf(owner, rendered)).toMatchObject({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.observability:4318',
        OTEL_SERVICE_NAME: name,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.05',
      });
      const env = spec.containers?.[0]?.env ?? [];
      const at = (variable: string): number => env.findIndex((one) => one.name === variable);
      const attributes = env[at('OTEL_RESOURCE_ATTRIBUTES')]?.value ?? '';
      expect(attributes.split(',')).toEqual([
        expect.stringMatching(/^service\.version=\d+\.\d+\.\d+/),
        'service.instance.id=$(POD_UID)',
        'k8s.namespace.name=survey',
        `k8s.deployment.name=survey-${name}`,
        'k8s.pod.name=$(POD_NAME)',
        'k8s.pod.uid=$(POD_UID)',
        'k8s.node.name=$(NODE_NAME)',
      ]);
      // Kubernetes expands only references to variables defined earlier in the list.
      for (const variable of ['POD_NAME', 'POD_UID', 'NODE_NAME'])
        expect(at(variable)).toBeLessThan(at('OTEL_RESOURCE_ATTRIBUTES'));
      expect(at('POD_NAME')).toBeGreaterThanOrEqual(0);
    }
  });

  test('cover every variable that a service reads, except those left to extraEnv', async () => {
    const renders = await Promise.all((await combinations()).map(async (file) => renderOf(await render({ values: [file] }))));
    const rendered = new Map([...ENVIRONMENTS.keys()].map((name) => [name, new Set<string>()] as const));
    for (const each of renders)
      for (const pod of servicesIn(each))
        for (const name of Object.keys(environmentOf(pod, each))) rendered.get(serviceOf(pod))?.add(name);
    const missing = [...ENVIRONMENTS].flatMap(([service, shape]) =>
      Object.keys(shape).filter((name) => rendered.get(service)?.has(name) !== true && !ONLY_EXTRA_ENV.test(name)),
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test('of a replica give its readers the address, their role and the maximum lag', async () => {
    const rendered = renderOf(await render({ values: ['ci/postgres-replica-values.yaml'] }));
    const environments = servicesIn(rendered).map((pod) => [serviceOf(pod), environmentOf(pod, rendered)] as const);
    const readers = environments.filter(([, environment]) => 'DATABASE_REPLICA_URL' in environment);
    expect(readers.map(([name]) => name).sort()).toEqual(['export', 'scoring-anonymity']);
    for (const [name, environment] of readers)
      expect(readEnvironment(ENVIRONMENTS.get(name) ?? {}, environment)).toMatchObject({
        DATABASE_REPLICA_URL: environment['DATABASE_URL']?.replace('db.example.org:5432', 'db-ro.example.org:5433'),
        DATABASE_REPLICA_MAX_LAG_SECONDS: 10,
      });
  });
});

describe.skipIf(helm3 === undefined)('the settings of surveyctl doctor', () => {
  test.each(['ops-tools', 'test-doctor'])('in %s name the mail server', async (name) => {
    const set = ['opsTools.enabled=true', 'smtp.enabled=true', 'smtp.existingSecret=mail', 'smtp.from=survey@example.org'];
    const { pods } = renderOf(await render({ values: ['ci/external-values.yaml'], set }));
    const pod = pods.find(({ owner }) => owner.metadata.name.endsWith(name));
    expect(secretFilesOf(pod?.spec ?? {}).map(({ path }) => path)).toContain('SMTP_URL');
  });

  test.each(['ops-tools', 'test-doctor'])('in %s say where NATS and Prometheus can be asked', async (name) => {
    const { pods } = renderOf(await render({ values: ['profiles/managed.yaml'] }));
    const pod = pods.find(({ owner }) => owner.metadata.name.endsWith(name));
    expect(pod?.spec.containers?.[0]?.env).toEqual(
      expect.arrayContaining([
        { name: 'NATS_MONITORING_URL', value: 'http://nats-headless.nats.svc.cluster.local:8222' },
        { name: 'PROMETHEUS_URL', value: 'http://prometheus-operated.monitoring.svc.cluster.local:9090' },
        { name: 'PROMETHEUS_SELECTOR', value: 'namespace="survey",release="survey"' },
      ]),
    );
  });
});
