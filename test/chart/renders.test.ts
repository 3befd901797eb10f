import { describe, expect, inject, test } from 'vitest';
import { join } from 'node:path';
import { combinations, parseManifests, PROFILES, render, renderText } from '../support/chart/render.ts';
import { runTool } from '../support/chart/run-tool.ts';
import { onDay } from '../support/year-log.ts';
import { reviewedRender } from './reviewed.ts';
import { strictSchemas } from './strict-schemas.ts';

/** Versions with a schema in the repository. Templates do not depend on the version. */
const VERSIONS = ['1.31', '1.33', '1.36'];
const { helm3, helm4 } = inject('tools');

describe.skipIf(helm3 === undefined)('renders', async () => {
  const files = helm3 === undefined ? [] : await combinations();

  test('cover at least 15 combinations of features', () => expect(files.length).toBeGreaterThanOrEqual(15));

  describe.each(VERSIONS)('Kubernetes %s', (kubeVersion) => {
    const check = strictSchemas(kubeVersion);
    test.concurrent.each(files)('match the strict schemas for %s', async (file) => {
      const manifests = await render({ values: [file] });
      expect(manifests.length).toBeGreaterThan(20);
      expect(manifests.flatMap(check)).toEqual([]);
    });
  });

  test.concurrent.each(files)('pass helm lint --strict for %s', async (file) => {
    const chart = inject('chart');
    const args = ['lint', '--strict', '--kube-version', '1.33.0', '--values', join(chart, file), chart];
    const { code, stdout, stderr } = await runTool(helm3 ?? '', args);
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  });

  test.each(PROFILES)('equal the reviewed render of %s', async (profile) => {
    const manifests = await render({ values: [`profiles/${profile}.yaml`] });
    await expect(reviewedRender(manifests)).toMatchFileSnapshot(`golden/${profile}.yaml`);
  });

  test('are identical for identical values', async () => {
    const options = { values: ['profiles/ha.yaml'] };
    expect(await renderText(options)).toBe(await renderText(options));
    onDay(1, 'Argo CD renders again: profiles/ha.yaml gives the same bytes, so nothing is out of sync');
  });

  test('contain objects of other projects only if values ask for them', async () => {
    const own = await render({ values: ['ci/external-values.yaml'], apis: [] });
    expect(own.filter(({ apiVersion }) => /monitoring|keda|cert-manager/.test(apiVersion))).toEqual([]);
    const apis = ['monitoring.coreos.com/v1', 'keda.sh/v1alpha1', 'cert-manager.io/v1'];
    const kinds = (await render({ values: ['profiles/ha.yaml'], apis })).map(({ kind }) => kind);
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
