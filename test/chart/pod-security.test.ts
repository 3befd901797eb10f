import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nameOf, podOf, type Manifest } from '../support/chart/manifest.ts';
import { restrictedFaults } from './pod-security.ts';
import { parseManifests } from '../support/chart/render.ts';

const fixtures = (verdict: 'pass' | 'fail'): Manifest[] =>
  parseManifests(readFileSync(new URL(`schemas/pod-security-${verdict}.yaml`, import.meta.url), 'utf8'));

const faultsOf = (manifest: Manifest): string[] => {
  const pod = podOf(manifest);
  return pod === undefined ? [] : restrictedFaults(pod).map((fault) => `${nameOf(manifest)}, ${fault}`);
};

// Kubernetes' own fixtures: they verify this implementation of the standard.
describe('the fixtures of Pod Security admission', () => {
  const named = (verdict: 'pass' | 'fail') => fixtures(verdict).map((pod) => [pod.metadata.name, pod] as const);

  test.each(named('pass'))('%s passes', (_, pod) => expect(faultsOf(pod)).toEqual([]));
  test.each(named('fail'))('%s fails', (_, pod) => expect(faultsOf(pod)).not.toEqual([]));
});
