import { nameOf, type Manifest } from '../support/chart/manifest.ts';

// Fields that the API server does not allow to change in an existing object.
const FIELDS = new Map([
  ['Deployment', ['selector']],
  ['StatefulSet', ['selector', 'serviceName', 'podManagementPolicy', 'volumeClaimTemplates']],
  ['Service', ['clusterIP']],
]);

/** Returns the immutable fields of each object, by its kind and name. */
export function immutableParts(manifests: readonly Manifest[]): Record<string, Record<string, unknown>> {
  const parts = manifests.flatMap((manifest) => {
    const fields = FIELDS.get(manifest.kind);
    if (fields === undefined) return [];
    return [[nameOf(manifest), Object.fromEntries(fields.map((field) => [field, manifest.spec?.[field] ?? null]))] as const];
  });
  return Object.fromEntries(parts);
}
