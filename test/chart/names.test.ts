import { describe, expect, inject, test } from 'vitest';
import { nameOf, selects, podOf } from '../support/chart/manifest.ts';
import { PROFILES, render, template } from '../support/chart/render.ts';

const { helm3 } = inject('tools');
const LONG = 'a-release-with-the-longest-name-that-helm-will-ever-let';

describe.skipIf(helm3 === undefined)('names', () => {
  test.each(PROFILES)('do not collide between two releases of %s with long, similar names', async (profile) => {
    const values = [`profiles/${profile}.yaml`];
    const [one, other] = await Promise.all(['x', 'y'].map((end) => render({ values, release: `${LONG.slice(0, 52)}${end}` })));
    const names = new Set(one?.map(nameOf));
    expect(one?.filter(({ metadata }) => metadata.name.length > 63).map(nameOf)).toEqual([]);
    // The operator creates the secrets; releases may share them.
    expect(other?.map(nameOf).filter((name) => names.has(name))).toEqual([]);
    const selectors = one?.flatMap(({ spec }) => (spec?.selector?.matchLabels ? [spec.selector.matchLabels] : [])) ?? [];
    const pods = other?.map((manifest) => podOf(manifest)?.metadata.labels).filter((labels) => labels !== undefined) ?? [];
    expect(pods.filter((labels) => selectors.some((selector) => selects(selector, labels)))).toEqual([]);
  });

  test('have no dots of the release name, which Kubernetes rejects in a Service', async () => {
    const manifests = await render({ values: ['profiles/small.yaml'], release: 'eu.survey.1' });
    expect(manifests.filter(({ metadata }) => metadata.name.includes('.')).map(nameOf)).toEqual([]);
    expect(JSON.stringify(manifests)).toContain('eu-survey-1-nats.survey.svc');
    const { code, stderr } = await template({ values: ['profiles/small.yaml'], release: '1-survey' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('set fullnameOverride') });
  });

  test('follow fullnameOverride', async () => {
    const values = ['ci/external-values.yaml'];
    const named = await render({ values, set: ['fullnameOverride=engagement'] });
    expect(named.filter(({ metadata }) => !metadata.name.startsWith('engagement')).map(nameOf)).toEqual([]);
  });
});
