import { nameOf, type Manifest } from './manifest.ts';

// What the API server refuses to change in an object that is there.
const FIELDS = new Map([
  ['Deployment', ['selector']],
  ['StatefulSet', ['selector', 'serviceName', 'podManagementPolicy', 'volumeClaimTemplates']],
  ['Service', ['clusterIP']],
]);

/** Of each object that an upgrade cannot change at will: what must stay, by its kind and name. */
export function immutableParts(manifests: readonly Manifest[]): Record<string, Record<string, unknown>> {
  const parts = manifests.flatMap((manifest) => {
    const fields = FIELDS.get(manifest.kind);
    if (fields === undefined) return [];
    return [[nameOf(manifest), Object.fromEntries(fields.map((field) => [field, manifest.spec?.[field] ?? null]))] as const];
  });
  return Object.fromEntries(parts);
}
