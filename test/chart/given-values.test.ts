import { beforeAll, describe, expect, inject, test } from 'vitest';
import { isOurs, kinds } from './look.ts';
import { render } from './render.ts';
import { renderOf, type Pod, type Render } from './rendered.ts';

const DIGEST = `sha256:${'1'.padStart(64, '0')}`;
const { helm3 } = inject('tools');

// Nobody shall have to change the chart for these.
describe.skipIf(helm3 === undefined)('C9 what people give', () => {
  let rendered: Render = renderOf([]);
  let services: readonly Pod[] = [];
  beforeAll(async () => {
    rendered = renderOf(await render({ values: ['ci/supply-chain-values.yaml'] }));
    services = rendered.pods.filter(({ owner }) => owner.kind === 'Deployment');
  });

  test('a registry, and a digest that beats every tag but that of a service alone', () => {
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

  test('secrets to pull images with reach every pod', () => {
    const pods = rendered.pods.map(({ spec }) => (spec as { imagePullSecrets?: unknown }).imagePullSecrets);
    expect(new Set(pods.map((secrets) => JSON.stringify(secrets)))).toEqual(new Set(['[{"name":"registry"}]']));
  });

  test('where pods run, their priority, annotations, labels and environment', () => {
    expect(services.length).toBe(6);
    for (const { spec, metadata } of services) {
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

  test('A8 a limit of processors only where it is asked for', () => {
    const limited = rendered.containers.filter(({ container }) => container.resources?.limits?.['cpu'] !== undefined);
    expect(limited.map(({ container }) => container.name)).toEqual(['gateway']);
  });

  test('further objects, with the templates in them rendered', () => {
    const [extra] = kinds(rendered, 'ConfigMap').filter(({ metadata }) => metadata.name === 'survey-extra');
    expect(extra?.data).toEqual({ release: 'survey' });
  });

  test('A6 a budget that lets none go', async () => {
    const set = ['components.export.podDisruptionBudget.maxUnavailable=0'];
    const budgets = kinds(renderOf(await render({ values: ['profiles/ha.yaml'], set })), 'PodDisruptionBudget');
    const exporter = budgets.find(({ metadata }) => metadata.name === 'survey-export');
    expect(exporter?.spec?.['maxUnavailable']).toBe(0);
  });

  test('N10 a route waits for a snapshot as long as the gateway does', async () => {
    const set = ['components.gateway.settings.importDeadlineSeconds=123'];
    const route = kinds(renderOf(await render({ values: ['ci/http-route-values.yaml'], set })), 'HTTPRoute');
    expect(JSON.stringify(route)).toContain('"request":"123s"');
  });
});
