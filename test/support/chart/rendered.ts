import { containersOf, podOf, type Container, type Manifest, type PodTemplate } from './manifest.ts';

export interface Render {
  readonly manifests: readonly Manifest[];
  readonly pods: readonly Pod[];
  readonly containers: readonly OwnedContainer[];
}

export interface Pod extends PodTemplate {
  readonly owner: Manifest;
}

export interface OwnedContainer {
  readonly container: Container;
  readonly pod: Pod;
}

export function renderOf(manifests: readonly Manifest[]): Render {
  const pods = manifests.flatMap((owner) => {
    const template = podOf(owner);
    return template === undefined ? [] : [{ ...template, owner }];
  });
  const containers = pods.flatMap((pod) => containersOf(pod.spec).map((container) => ({ container, pod })));
  return { manifests, pods, containers };
}

/** Returns the environment that the ConfigMaps give a workload's containers. */
export function configOf(owner: Manifest, { manifests }: Pick<Render, 'manifests'>): Record<string, string> {
  const names = containersOf(podOf(owner)?.spec ?? {}).flatMap(({ envFrom = [] }) =>
    envFrom.map(({ configMapRef }) => configMapRef?.name),
  );
  return Object.assign(
    {},
    ...manifests.filter(({ kind, metadata }) => kind === 'ConfigMap' && names.includes(metadata.name)).map(({ data }) => data),
  );
}
