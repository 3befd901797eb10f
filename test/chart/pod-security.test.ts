import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nameOf, podOf, type Manifest } from './manifest.ts';
import { restrictedFaults } from './pod-security.ts';
import { parseManifests } from './render.ts';

const fixtures = (verdict: 'pass' | 'fail'): Manifest[] =>
  parseManifests(readFileSync(new URL(`schemas/pod-security-${verdict}.yaml`, import.meta.url), 'utf8'));

const faultsOf = (manifest: Manifest): string[] => {
  const pod = podOf(manifest);
  return pod === undefined ? [] : restrictedFaults(pod).map((fault) => `${nameOf(manifest)}, ${fault}`);
};

// Kubernetes' own: they show that our reading of the standard is the right one.
describe('the fixtures of Pod Security admission', () => {
  const named = (verdict: 'pass' | 'fail') => fixtures(verdict).map((pod) => [pod.metadata.name, pod] as const);

  test.each(named('pass'))('%s is let in', (_, pod) => expect(faultsOf(pod)).toEqual([]));
  test.each(named('fail'))('%s is refused', (_, pod) => expect(faultsOf(pod)).not.toEqual([]));
});
