import { readEnvironment } from '@survey/process/environment.ts';
import { describe, expect, inject, test } from 'vitest';
import { combinations, PROFILES, render } from './render.ts';
import { configOf, renderOf, type Pod, type Render } from './rendered.ts';
import { ENVIRONMENTS } from './service-environments.ts';

// What the process reads itself, Node, or a command that people run in the container.
const OTHERS = [
  'DRAIN_DELAY_MS',
  'SHUTDOWN_TIMEOUT_MS',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'PGPASSWORD',
  'NATS_PASSWORD',
  'REDIS_PASSWORD',
  // Of OpenTelemetry's exporter, and what its attributes are put together from.
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'POD_NAME',
  'POD_UID',
  'NODE_NAME',
];
const ALSO = new Map([['account-admin', ['ACCOUNT_ADMIN_ADDRESS', 'IMPORT_RECONCILER_ADDRESS', 'TEXT_ANALYSIS_ADDRESS']]]);

// What no value sets, on purpose: one value fits every cluster (`extraEnv` can set another), the image sets it, or only fault tests do.
const ONLY_EXTRA_ENV = /^(OTEL_(SDK_DISABLED|TRACES_EXPORTER|BSP_.*|EXPORTER_OTLP_.*)|NODE_ENV|FAILPOINTS)$/;

const { helm3 } = inject('tools');

const serviceOf = ({ spec }: Pod): string => spec.containers?.[0]?.name ?? '';
const servicesIn = ({ pods }: Render): Pod[] =>
  pods.filter((pod) => pod.owner.kind === 'Deployment' && ENVIRONMENTS.has(serviceOf(pod)));

// A secret's value is not in the render: any URL of some length will do.
function toldTo({ owner, spec }: Pod, rendered: Render): Record<string, string> {
  const secret =
    spec.containers?.[0]?.env?.map(({ name, value = 'smtp://mail.example.org/of-some-length' }) => [name, value]) ?? [];
  return { ...configOf(owner, rendered), ...Object.fromEntries(secret) };
}

describe.skipIf(helm3 === undefined)('settings', () => {
  const files = [...PROFILES.map((profile) => `profiles/${profile}.yaml`), 'ci/traces-values.yaml'];
  test.each(files)('%s: services can read what they are told, and nothing is told in vain', async (file) => {
    const rendered = renderOf(await render({ values: [file] }));
    const services = servicesIn(rendered);
    expect(services).toHaveLength(ENVIRONMENTS.size);
    for (const pod of services) {
      const name = serviceOf(pod);
      const shape = ENVIRONMENTS.get(name) ?? {};
      const told = toldTo(pod, rendered);
      expect(() => readEnvironment(shape, told)).not.toThrow();
      const vain = Object.keys(told).filter((key) => !(key in shape) && ![...OTHERS, ...(ALSO.get(name) ?? [])].includes(key));
      expect({ name, vain }).toEqual({ name, vain: [] });
    }
  });

  test('with a collector, every service sends spans there under its own name, and says which pod on which node it is', async () => {
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
        'deployment.environment.name=production',
      ]);
      // Kubernetes fills in what stands before it, and leaves the rest as it is.
      for (const variable of ['POD_NAME', 'POD_UID', 'NODE_NAME'])
        expect(at(variable)).toBeLessThan(at('OTEL_RESOURCE_ATTRIBUTES'));
      expect(at('POD_NAME')).toBeGreaterThanOrEqual(0);
    }
  });

  test('every setting that a service reads is said by the chart in some combination, or is left to extraEnv on purpose', async () => {
    const renders = await Promise.all((await combinations()).map(async (file) => renderOf(await render({ values: [file] }))));
    const said = new Map([...ENVIRONMENTS.keys()].map((name) => [name, new Set<string>()] as const));
    for (const rendered of renders)
      for (const pod of servicesIn(rendered))
        for (const name of Object.keys(toldTo(pod, rendered))) said.get(serviceOf(pod))?.add(name);
    const unsaid = [...ENVIRONMENTS].flatMap(([service, shape]) =>
      Object.keys(shape).filter((name) => said.get(service)?.has(name) !== true && !ONLY_EXTRA_ENV.test(name)),
    );
    expect([...new Set(unsaid)]).toEqual([]);
  });

  test('a replica: who reads there is told where it is, as the role that it is, and how old answers may be', async () => {
    const rendered = renderOf(await render({ values: ['ci/postgres-replica-values.yaml'] }));
    const told = servicesIn(rendered).map((pod) => [serviceOf(pod), toldTo(pod, rendered)] as const);
    const readers = told.filter(([, environment]) => 'DATABASE_REPLICA_URL' in environment);
    expect(readers.map(([name]) => name).sort()).toEqual(['export', 'scoring-anonymity']);
    for (const [name, environment] of readers)
      expect(readEnvironment(ENVIRONMENTS.get(name) ?? {}, environment)).toMatchObject({
        DATABASE_REPLICA_URL: environment['DATABASE_URL']?.replace('db.example.org:5432', 'db-ro.example.org:5433'),
        DATABASE_REPLICA_MAX_LAG_SECONDS: 10,
      });
  });

  test('models outside and Presidio: what values say arrives as the service reads it', async () => {
    const rendered = renderOf(await render({ values: ['ci/text-outside-values.yaml'] }));
    const pod = servicesIn(rendered).find((one) => serviceOf(one) === 'text-analysis');
    const told = pod === undefined ? {} : toldTo(pod, rendered);
    expect(readEnvironment(ENVIRONMENTS.get('text-analysis') ?? {}, told)).toMatchObject({
      TEXT_MODELS_URL: 'https://models.example.org/v1',
      TEXT_MODELS_KEY: expect.any(String),
      TEXT_CHAT_MODEL: 'chat',
      TEXT_EMBEDDING_MODEL: 'embeddings',
      TEXT_EMBEDDING_THRESHOLD: 0.42,
      PRESIDIO_URL: 'http://presidio.example.org:3000',
      PRESIDIO_LANGUAGES: ['en', 'de'],
      TOPIC_MODEL_TRAIN_AFTER_DECISIONS: 50,
    });
  });
});
