import { beforeAll, describe, expect, inject, test } from 'vitest';
import { isOurs, kinds } from './look.ts';
import { nameOf, podOf, type Manifest } from '../support/chart/manifest.ts';
import { render, renderText } from '../support/chart/render.ts';
import { renderOf, type Render } from '../support/chart/rendered.ts';

const DIGEST = `sha256:${'1'.padStart(64, '0')}`;
const NOTHING: Manifest = { apiVersion: '', kind: '', metadata: { name: '' } };
const TRACED = [
  'openTelemetry.endpoint=http://collector.example.org:4318',
  'console.enabled=true',
  'console.host=console.example.org',
];
const { helm3 } = inject('tools');

// Customizations that must be possible without editing the chart.
describe.skipIf(helm3 === undefined)('values of an operator', () => {
  let rendered: Render = renderOf([]);
  beforeAll(async () => {
    rendered = renderOf(await render({ values: ['ci/supply-chain-values.yaml'] }));
  });

  test('set the registry and a digest, which only the tag of a single service overrides', () => {
    const images = rendered.containers
      .filter(({ container }) => isOurs(container))
      .map(({ container }) => [container.name, container.image] as const);
    expect(images.length).toBeGreaterThan(6);
    for (const [name, image] of images)
      expect({ name, image }).toEqual({
        name,
        image: `registry.example.org/team/survey${name === 'export' ? ':0.1.1' : `@${DIGEST}`}`,
      });
  });

  test('add image pull secrets to every pod', () => {
    const pods = rendered.pods.map(({ spec }) => (spec as { imagePullSecrets?: unknown }).imagePullSecrets);
    expect(new Set(pods.map((secrets) => JSON.stringify(secrets)))).toEqual(new Set(['[{"name":"registry"}]']));
  });

  test('apply pod defaults to services, job, toolbox, tests and bundled stores', async () => {
    const bundled = ['bundled.enabled=true', 'opsTools.enabled=true', 'console.enabled=true'];
    const values = ['ci/supply-chain-values.yaml', 'profiles/small.yaml'];
    const set = [
      ...bundled,
      'postgres.host=',
      'nats.host=',
      'redis.host=',
      'postgres.maxConnections=300',
      'console.host=console.example.org',
      'defaults.extraEnvFrom[0].configMapRef.name=proxy',
    ];
    const all = renderOf(await render({ values, set })).pods;
    for (const { owner, spec } of all)
      expect({ owner: owner.metadata.name, envFrom: spec.containers?.[0]?.envFrom }).toMatchObject({
        envFrom: expect.arrayContaining([{ configMapRef: { name: 'proxy' } }]),
      });
    expect(new Set(all.map(({ owner }) => owner.kind))).toEqual(new Set(['Deployment', 'StatefulSet', 'Job', 'Pod']));
    for (const { spec, metadata } of [...all, ...rendered.pods]) {
      expect(spec).toMatchObject({
        priorityClassName: 'important',
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'dedicated', operator: 'Exists' }],
        affinity: { nodeAffinity: expect.any(Object) },
      });
      expect(metadata.annotations).toMatchObject({ 'example.org/owner': 'survey' });
      expect(metadata.labels).toMatchObject({ 'example.org/cost-centre': '42' });
      expect(spec.containers?.[0]?.env).toContainEqual({ name: 'TZ', value: 'UTC' });
    }
  });

  test.each([
    ['migrations', 'survey-prepare'],
    ['opsTools', 'survey-ops-tools'],
    ['tests', 'survey-test-doctor'],
    ['console', 'survey-console'],
    ['bundled.redis', 'survey-redis'],
    ['components.export', 'survey-export'],
  ])('override the pod defaults in %s', async (path, name) => {
    const set = ['defaults.nodeSelector.disk=ssd', `${path}.nodeSelector.disk=other`, `${path}.nodeSelector.zone=a`];
    set.push('console.enabled=true', 'console.host=console.example.org');
    const { pods } = renderOf(await render({ values: ['profiles/small.yaml'], set }));
    const pod = pods.find(({ owner }) => owner.metadata.name.startsWith(name));
    expect(pod?.spec).toMatchObject({ nodeSelector: { disk: 'other', zone: 'a' } });
  });

  test('send the console to identity providers through a proxy, and open its port', async () => {
    const set = [
      'console.enabled=true',
      'console.host=console.example.org',
      'console.providerProxy=http://proxy.example.org:3128',
    ];
    const proxied = renderOf(await render({ values: ['profiles/small.yaml'], set }));
    const environments = kinds(proxied, 'ConfigMap').map(({ data }) => data ?? {});
    expect(environments.filter((data) => 'HTTPS_PROXY' in data)).toMatchObject([
      { HTTPS_PROXY: 'http://proxy.example.org:3128', NODE_USE_ENV_PROXY: '1' },
    ]);
    const policy = kinds(proxied, 'NetworkPolicy').find(({ metadata }) => metadata.name === 'survey-console');
    expect(JSON.stringify(policy?.spec?.['egress'])).toContain('"port":3128');
    expect(JSON.stringify(policy?.spec?.['egress'])).not.toContain('"port":443');
  });

  test('label pods, over the labels of all objects', async () => {
    const set = ['commonLabels.team=platform', 'components.gateway.podLabels.team=api'];
    const labelled = renderOf(await render({ values: ['profiles/small.yaml'], set }));
    const teams = labelled.pods.map(({ owner, metadata }) => [owner.metadata.name, metadata.labels?.['team']]);
    expect(Object.fromEntries(teams)).toMatchObject({ 'survey-gateway': 'api', 'survey-export': 'platform' });
  });

  test('set a CPU limit only where requested', () => {
    const limited = rendered.containers.filter(({ container }) => container.resources?.limits?.['cpu'] !== undefined);
    expect(limited.map(({ container }) => container.name)).toEqual(['gateway']);
  });

  test('add extra objects and render their templates', () => {
    const [extra] = kinds(rendered, 'ConfigMap').filter(({ metadata }) => metadata.name === 'survey-extra');
    expect(extra?.data).toEqual({ release: 'survey' });
  });

  test('set a disruption budget that allows no disruption', async () => {
    const set = ['components.export.podDisruptionBudget.maxUnavailable=0'];
    const budgets = kinds(renderOf(await render({ values: ['profiles/ha.yaml'], set })), 'PodDisruptionBudget');
    const exporter = budgets.find(({ metadata }) => metadata.name === 'survey-export');
    expect(exporter?.spec?.['maxUnavailable']).toBe(0);
  });

  test('give the HTTP route the import deadline of the gateway', async () => {
    const set = ['components.gateway.settings.importDeadlineSeconds=123'];
    const route = kinds(renderOf(await render({ values: ['ci/http-route-values.yaml'], set })), 'HTTPRoute');
    expect(JSON.stringify(route)).toContain('"request":"123s"');
  });

  describe('extensions', () => {
    let extended: Render = renderOf([]);
    beforeAll(async () => {
      extended = renderOf(await render({ values: ['ci/extensions-values.yaml'], set: ['opsTools.enabled=true'] }));
    });

    test('add volumes, whole environments and host aliases to every pod', () => {
      expect(extended.pods.length).toBeGreaterThan(8);
      for (const { spec } of extended.pods) {
        expect(spec).toMatchObject({ hostAliases: [{ ip: '192.0.2.7' }] });
        expect(spec.volumes).toContainEqual({ name: 'extra', configMap: { name: 'extra' } });
        const [own] = spec.containers ?? [];
        expect(own?.volumeMounts).toContainEqual({ name: 'extra', mountPath: '/etc/extra', readOnly: true });
        expect(own?.envFrom).toContainEqual({ configMapRef: { name: 'proxy', optional: true } });
      }
    });

    test('add a common label to every object and pod but to no selector', () => {
      const label = { 'example.org/stage': 'production' };
      for (const { metadata, spec } of extended.manifests) {
        expect(metadata.labels).toMatchObject(label);
        expect(spec?.selector?.matchLabels ?? {}).not.toMatchObject(label);
      }
      for (const { metadata } of extended.pods) expect(metadata.labels).toMatchObject(label);
    });

    test('set containers, the service and annotations', () => {
      const find = (kind: string) => kinds(extended, kind).find(({ metadata: { name } }) => name === 'survey-gateway');
      const { initContainers = [], containers: own = [] } = podOf(find('Deployment') ?? NOTHING)?.spec ?? {};
      expect([initContainers, own].map((list) => list.map(({ name }) => name))).toEqual([['first'], ['gateway', 'beside']]);
      expect(find('Service')).toMatchObject({
        metadata: { annotations: { 'example.org/internal': 'true' } },
        spec: { type: 'NodePort' },
      });
      expect(find('Deployment')?.metadata.annotations).toEqual({ 'reloader.stakater.com/auto': 'true' });
      const roles = kinds(extended, 'ServiceAccount').filter(
        ({ metadata }) => metadata.annotations?.['eks.amazonaws.com/role-arn'],
      );
      expect(roles).toHaveLength(6);
    });

    test('set the folder of the dashboards', () => {
      const boards = kinds(extended, 'ConfigMap').filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
      expect(boards.length).toBeGreaterThan(1);
      for (const { metadata } of boards) expect(metadata.annotations).toEqual({ grafana_folder: 'Survey' });
    });
  });

  test('remove user and group from every pod when image.user is null, as OpenShift requires', async () => {
    const set = ['image.user=null', ...['postgres', 'nats', 'redis'].map((store) => `bundled.${store}.image.user=null`)];
    const { pods } = renderOf(await render({ values: ['profiles/small.yaml'], set }));
    expect(pods.length).toBeGreaterThan(10);
    for (const { spec } of pods)
      expect(spec.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });

  test('replace variables, volumes and mounts of the chart that have the same name or mountPath, in every pod', async () => {
    const values = ['profiles/small.yaml'];
    const all = renderOf(await render({ values, set: TRACED })).pods;
    const reserved = new Set(all.flatMap(({ spec }) => spec.containers?.[0]?.env?.map(({ name }) => name) ?? []));
    expect(reserved).toContain('OTEL_RESOURCE_ATTRIBUTES');
    const set = [...reserved].flatMap((name, index) => [
      `defaults.extraEnv[${index}].name=${name}`,
      `defaults.extraEnv[${index}].value=own`,
    ]);
    set.push('defaults.extraVolumes[0].name=tmp', 'defaults.extraVolumes[0].emptyDir.sizeLimit=1Gi');
    set.push('defaults.extraVolumeMounts[0].name=other', 'defaults.extraVolumeMounts[0].mountPath=/tmp');
    const { pods } = renderOf(await render({ values, set: [...TRACED, ...set] }));
    expect(pods).toHaveLength(all.length);
    for (const { owner, spec } of pods) {
      const [{ env = [], volumeMounts = [] } = {}] = spec.containers ?? [];
      const at = owner.metadata.name;
      expect({ at, env: env.map(({ name, value }) => [name, value]) }).toEqual({
        at,
        env: expect.arrayContaining([...reserved].map((name) => [name, 'own'])),
      });
      expect({ at, env: env.length }).toEqual({ at, env: reserved.size });
      expect(spec.volumes?.filter(({ name }) => name === 'tmp')).toEqual([{ name: 'tmp', emptyDir: { sizeLimit: '1Gi' } }]);
      expect(volumeMounts.filter(({ mountPath }) => mountPath === '/tmp')).toEqual([{ name: 'other', mountPath: '/tmp' }]);
    }
  });

  test('set the IP families of every Service, and addresses of IPv6 as hosts', async () => {
    const families = ['defaults.service.ipFamilyPolicy=PreferDualStack', 'defaults.service.ipFamilies={IPv6,IPv4}'];
    const services = kinds(renderOf(await render({ values: ['profiles/small.yaml'], set: families })), 'Service');
    expect(services.length).toBeGreaterThan(8);
    for (const { spec } of services)
      expect(spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'] });
    const set = ['postgres.host=fd00::1', 'nats.host=fd00::2', 'redis.host=fd00::3'];
    set.push('monitoring.prometheusUrl=http://[fd00::4]:9090');
    const external = await renderText({ values: ['ci/external-values.yaml'], set });
    for (const url of ['postgres://survey_gateway@[fd00::1]:5432/', '@[fd00::2]:4222', '[fd00::3]:', 'http://[fd00::4]:9090'])
      expect(external).toContain(url);
  });

  test('accept tls.mode: off, which YAML reads as false', async () => {
    const [quoted, bare] = await Promise.all(
      ['setString', 'set'].map((how) =>
        renderText({ values: ['ci/external-values.yaml'], [how]: [`tls.mode=${how === 'set' ? 'false' : 'off'}`] }),
      ),
    );
    expect(bare).toEqual(quoted);
  });

  test('let nobody read metrics when no peer is named', async () => {
    const policies = kinds(
      renderOf(await render({ values: ['ci/external-values.yaml'], set: ['networkPolicy.metricsFrom=null'] })),
      'NetworkPolicy',
    );
    const open = policies.filter(({ spec }) => JSON.stringify(spec?.['ingress'] ?? []).includes('"metrics"'));
    expect(open.map(nameOf)).toEqual([]);
  });

  test('set the figures of a rollout', async () => {
    const set = ['defaults.rollout.maxSurge=50%', 'defaults.rollout.minReadySeconds=1'];
    const [deployment] = kinds(renderOf(await render({ values: ['ci/external-values.yaml'], set })), 'Deployment');
    expect(deployment?.spec).toMatchObject({
      minReadySeconds: 1,
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } },
    });
  });
});
