import { describe, expect, inject, test } from 'vitest';
import { render } from '../support/chart/render.ts';
import { renderOf } from '../support/chart/rendered.ts';

const { helm3 } = inject('tools');
const VALUES = ['ci/site-values.yaml'];

describe.skipIf(helm3 === undefined)('the documentation site', () => {
  test('is deployed only when it is enabled', async () => {
    const { manifests } = renderOf(await render({ values: ['profiles/small.yaml'] }));
    expect(manifests.filter(({ metadata }) => metadata.name.endsWith('-site'))).toEqual([]);
  });

  test('has its own image and host, and reaches nothing', async () => {
    const { manifests, pods } = renderOf(
      await render({ values: VALUES, set: ['site.image.tag=1.2.3', 'global.imageRegistry=r.example'] }),
    );
    const own = manifests.filter(({ metadata }) => metadata.name.endsWith('-site'));
    const kinds = ['Deployment', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];
    expect(own.map(({ kind }) => kind).sort()).toEqual(kinds);
    const [pod] = pods.filter(({ owner }) => owner.metadata.name.endsWith('-site'));
    expect(pod?.spec.containers).toMatchObject([
      { image: 'r.example/survey-site:1.2.3', readinessProbe: { httpGet: { path: '/', port: 'http' } } },
    ]);
    expect(own.find(({ kind }) => kind === 'NetworkPolicy')?.spec).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{}],
    });
    expect(own.find(({ kind }) => kind === 'NetworkPolicy')?.spec).not.toHaveProperty('egress');
    expect(own.find(({ kind }) => kind === 'Ingress')?.spec).toMatchObject({ rules: [{ host: 'docs.example.com' }] });
  });
});
