import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  podOf,
  secretFilesOf,
  selects,
  type Container,
  type Manifest,
  type PodSpec,
  type PodTemplate,
} from '../support/chart/manifest.ts';

/** The Docker network, secrets and files that replace the cluster. */
export interface Cluster {
  readonly manifests: readonly Manifest[];
  readonly network: string;
  // Values of secrets by name and key.
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  // Folder for the files of ConfigMaps and secrets.
  readonly folder: string;
}

/** Returns the arguments of `docker run` that run a workload's container as the kubelet would. */
export async function containerArguments(workload: Manifest, cluster: Cluster): Promise<string[]> {
  const pod = podOf(workload);
  const [container] = pod?.spec.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error(`cannot run ${workload.metadata.name}: it has no container`);
  const [entrypoint, ...rest] = container.command ?? [];
  return [
    ...identity(pod, container),
    ...servicesOf(pod, cluster).flatMap((alias) => ['--network-alias', alias]),
    ...environmentOf(container, cluster).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...(await mountsOf(pod, container, cluster)),
    ...(container.ports ?? []).flatMap(({ containerPort }) => ['--publish', `127.0.0.1::${containerPort}`]),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    container.image,
    ...rest,
    ...(container.args ?? []),
  ];
}

/** Returns only the arguments for user, privileges, memory and stop timeout. */
export function identityArguments(workload: Manifest): string[] {
  const pod = podOf(workload);
  const [container] = pod?.spec.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error(`cannot run ${workload.metadata.name}: it has no container`);
  return identity(pod, container);
}

function identity({ spec }: PodTemplate, { securityContext, resources }: Container): string[] {
  const user = spec.securityContext?.runAsUser;
  const memory = resources?.limits?.['memory']?.replace('Mi', 'm').replace('Gi', 'g');
  return [
    ...(user === undefined ? [] : ['--user', `${user}:${user}`]),
    ...(securityContext?.readOnlyRootFilesystem === true ? ['--read-only'] : []),
    ...(securityContext?.capabilities?.drop ?? []).flatMap((capability) => ['--cap-drop', capability]),
    ...(securityContext?.allowPrivilegeEscalation === false ? ['--security-opt', 'no-new-privileges'] : []),
    ...(memory === undefined ? [] : ['--memory', memory, '--memory-swap', memory]),
    '--stop-timeout',
    String(spec.terminationGracePeriodSeconds ?? 30),
  ];
}

// Containers with the same alias are addresses of the same name, as with a headless service.
function servicesOf({ metadata }: PodTemplate, { manifests }: Cluster): string[] {
  const services = manifests.filter(
    ({ kind, spec }) => kind === 'Service' && selects(selectorOf(spec?.selector), metadata.labels),
  );
  return services.flatMap(({ metadata: { name, namespace } }) => [name, `${name}.${namespace}.svc.cluster.local`]);
}

// The selector of a Service has labels at the top level.
function selectorOf(selector: unknown): Record<string, string> {
  return (selector ?? {}) as Record<string, string>;
}

function environmentOf({ env = [], envFrom = [] }: Container, { manifests, secrets }: Cluster): [string, string][] {
  const values = new Map<string, string>();
  for (const { configMapRef } of envFrom) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name);
    if (map === undefined) throw new Error(`cannot read the environment: no ConfigMap ${configMapRef?.name}`);
    for (const [name, value] of Object.entries(map.data ?? {})) values.set(name, value);
  }
  for (const { name, value = '', valueFrom } of env) {
    const reference = valueFrom?.secretKeyRef;
    const secret = reference && secrets[reference.name]?.[reference.key];
    if (reference !== undefined && secret === undefined)
      throw new Error(`cannot read the environment: no secret ${reference.name} with ${reference.key}`);
    values.set(name, secret ?? value.replaceAll(/\$\(([A-Z_]+)\)/g, (_, other: string) => values.get(other) ?? ''));
  }
  return [...values];
}

async function mountsOf({ spec }: PodTemplate, { volumeMounts = [] }: Container, cluster: Cluster): Promise<string[]> {
  // Volumes without a claim live as long as the container. Docker gives them the mode of the
  // directory they cover, so they need an owner.
  const owner = spec.securityContext?.runAsUser ?? 0;
  const mounts = volumeMounts.map(async ({ name, mountPath }) => {
    const volume = spec.volumes?.find((one) => one.name === name);
    const claim = (volume?.['persistentVolumeClaim'] as { claimName: string } | undefined)?.claimName;
    if (claim !== undefined) return ['--volume', `${claimVolume(cluster, claim)}:${mountPath}`];
    const files = filesOf(volume, cluster);
    if (files === undefined) return ['--tmpfs', `${mountPath}:mode=1777,uid=${owner},gid=${owner}`];
    return ['--volume', `${await writeFiles(join(cluster.folder, name, randomUUID()), files)}:${mountPath}:ro`];
  });
  return (await Promise.all(mounts)).flat();
}

/** Returns the name of the Docker volume for a claim. The caller creates it and sets its owner. */
function claimVolume({ network }: Cluster, claim: string): string {
  return `${network}-${claim}`;
}

// Returns the files of a ConfigMap or secret volume; undefined for other volumes.
function filesOf(volume: Volume | undefined, { manifests, secrets }: Cluster): Files | undefined {
  const map = volume?.['configMap'] as { name: string } | undefined;
  const secret = volume?.['secret'] as { secretName: string } | undefined;
  if (map !== undefined)
    return manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map.name)?.data ?? {};
  if (volume?.['projected'] !== undefined) return Object.fromEntries(projectedFiles(volume, secrets));
  if (secret === undefined) return undefined;
  const files = secrets[secret.secretName];
  if (files === undefined) throw new Error(`cannot mount a volume: no secret ${secret.secretName}`);
  return files;
}

function projectedFiles(volume: Volume, secrets: Cluster['secrets']): [string, string][] {
  return secretFilesOf({ volumes: [volume] }).map(({ path, secret, key }) => {
    const text = secrets[secret]?.[key];
    if (text === undefined) throw new Error(`there is no secret ${secret} with ${key}`);
    return [path, text];
  });
}

type Volume = NonNullable<PodSpec['volumes']>[number];
type Files = Readonly<Record<string, string>>;

async function writeFiles(target: string, files: Files): Promise<string> {
  await mkdir(target, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(target, file), text, { mode: 0o644 });
  return target;
}
