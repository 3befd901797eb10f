import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, test } from 'vitest';
import { containersOf, podOf, secretFilesOf, type Manifest } from '../support/chart/manifest.ts';
import { parseManifests, render } from '../support/chart/render.ts';

const SCRIPT = fileURLToPath(new URL('../../deploy/bin/bootstrap-secrets', import.meta.url));
const { helm3 } = inject('tools');

function secretsUsed(manifests: readonly Manifest[]): Set<string> {
  const containers = manifests.flatMap((manifest) => containersOf(podOf(manifest)?.spec ?? {}));
  // Bundled stores read their passwords from the environment.
  const references = containers.flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []));
  const files = manifests.flatMap((manifest) => secretFilesOf(podOf(manifest)?.spec ?? {}));
  return new Set([...references.map(({ name, key }) => `${name}/${key}`), ...files.map(({ secret, key }) => `${secret}/${key}`)]);
}

describe.skipIf(helm3 === undefined)('secrets', () => {
  test('are created by bootstrap-secrets exactly as the small profile uses them', async () => {
    const made = parseManifests(execFileSync(SCRIPT, { encoding: 'utf8' })) as (Manifest & {
      stringData: Record<string, string>;
    })[];
    const keys = made.flatMap(({ metadata, stringData }) => Object.keys(stringData).map((key) => `${metadata.name}/${key}`));
    expect(keys.sort()).toEqual([...secretsUsed(await render({ values: ['profiles/small.yaml'] }))].sort());
    const passwords = made.flatMap(({ stringData }) => Object.values(stringData));
    expect(new Set(passwords).size).toBe(passwords.length);
    expect(passwords.every((password) => /^[a-z][A-Za-z0-9]{32}$/.test(password))).toBe(true);
  });

  test('are created from external secrets before the hook runs', async () => {
    const manifests = await render({ values: ['ci/external-secrets-values.yaml'] });
    const external = manifests.filter(({ kind }) => kind === 'ExternalSecret');
    const brought = external.flatMap(({ metadata, spec }) =>
      ((spec?.['data'] ?? []) as { secretKey: string }[]).map(({ secretKey }) => `${metadata.name}/${secretKey}`),
    );
    expect(brought.sort()).toEqual([...secretsUsed(manifests)].sort());
    const weights = external.map(({ metadata }) => Number(metadata.annotations?.['helm.sh/hook-weight']));
    expect(Math.max(...weights)).toBeLessThan(-20);
  });
});
