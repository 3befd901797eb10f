import { describe, expect, inject, test } from 'vitest';
import { join } from 'node:path';
import { combinations, parseManifests, PROFILES, render, renderText, VERSIONS } from './render.ts';
import { runTool } from './run-tool.ts';
import { strictSchemas } from './strict-schemas.ts';

const { helm3, helm4 } = inject('tools');

describe.skipIf(helm3 === undefined)('renders', async () => {
  const files = helm3 === undefined ? [] : await combinations();

  test('there is a combination for each feature', () => expect(files.length).toBeGreaterThanOrEqual(15));

  describe.each(VERSIONS)('Kubernetes %s', (kubeVersion) => {
    const check = strictSchemas(kubeVersion);
    test.concurrent.each(files)('%s meets the strict schemas', async (file) => {
      const manifests = await render({ values: [file], kubeVersion });
      expect(manifests.length).toBeGreaterThan(20);
      expect(manifests.flatMap(check)).toEqual([]);
    });
  });

  test.concurrent.each(files)('helm lint --strict takes %s', async (file) => {
    const chart = inject('chart');
    const args = ['lint', '--strict', '--kube-version', '1.33.0', '--values', join(chart, file), chart];
    const { code, stdout, stderr } = await runTool(helm3 ?? '', args);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });

  test.each(PROFILES)('the render of %s is the one that was reviewed', async (profile) => {
    const text = await renderText({ values: [`profiles/${profile}.yaml`] });
    await expect(text).toMatchFileSnapshot(`golden/${profile}.yaml`);
  });

  test('the same values render the same bytes', async () => {
    const options = { values: ['profiles/ha.yaml'] };
    expect(await renderText(options)).toBe(await renderText(options));
  });

  test('objects of other projects are rendered where the cluster has them, or left out where that is allowed', async () => {
    const values = ['profiles/ha.yaml'];
    const allowed = ['keda', 'certManager', 'prometheus'].map((project) => `allowMissing.${project}=true`);
    const own = await render({ values, apis: [], set: allowed });
    expect(own.filter(({ apiVersion }) => /monitoring|keda|cert-manager/.test(apiVersion))).toEqual([]);
    const apis = ['monitoring.coreos.com/v1', 'keda.sh/v1alpha1'];
    const kinds = (await render({ values, apis, set: ['allowMissing.certManager=true'] })).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['ServiceMonitor', 'PrometheusRule', 'ScaledObject']));
  });
});

describe.skipIf(helm3 === undefined || helm4 === undefined)('Helm 4', () => {
  test.concurrent.each(PROFILES)('renders %s as Helm 3 does', async (profile) => {
    const values = [`profiles/${profile}.yaml`];
    const [three, four] = await Promise.all([renderText({ values }), renderText({ values, helm: 'helm4' })]);
    expect(parseManifests(four)).toEqual(parseManifests(three));
  });
});
