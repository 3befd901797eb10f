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
} from '../chart/manifest.ts';

/** Where manifests are run: what stands for the cluster. */
export interface Cluster {
  readonly manifests: readonly Manifest[];
  readonly network: string;
  // Values of secrets: by name, then key.
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  // For the files of ConfigMaps and secrets.
  readonly folder: string;
}

/** `docker run`'s arguments for the one container of a workload: what the kubelet would make of it, as far as an engine can. */
export async function containerArguments(workload: Manifest, cluster: Cluster): Promise<string[]> {
  const pod = podOf(workload);
  const [container] = pod?.spec.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error(`${workload.metadata.name} has no container`);
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

/** Of these, those that say who runs, what it may not do and how much memory it has. */
export function identityArguments(workload: Manifest): string[] {
  const pod = podOf(workload);
  const [container] = pod?.spec.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error(`${workload.metadata.name} has no container`);
  return identity(pod, container);
}

// The user, what it may not do, how much memory it has, and how long it may take to stop.
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

// Several containers of one alias are several addresses of one name, as with a headless service.
function servicesOf({ metadata }: PodTemplate, { manifests }: Cluster): string[] {
  const services = manifests.filter(
    ({ kind, spec }) => kind === 'Service' && selects(selectorOf(spec?.selector), metadata.labels),
  );
  return services.flatMap(({ metadata: { name, namespace } }) => [name, `${name}.${namespace}.svc.cluster.local`]);
}

// A Service's selector is the labels themselves.
function selectorOf(selector: unknown): Record<string, string> {
  return (selector ?? {}) as Record<string, string>;
}

function environmentOf({ env = [], envFrom = [] }: Container, { manifests, secrets }: Cluster): [string, string][] {
  const values = new Map<string, string>();
  for (const { configMapRef } of envFrom) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name);
    if (map === undefined) throw new Error(`there is no ConfigMap ${configMapRef?.name}`);
    for (const [name, value] of Object.entries(map.data ?? {})) values.set(name, value);
  }
  for (const { name, value = '', valueFrom } of env) {
    const reference = valueFrom?.secretKeyRef;
    const secret = reference && secrets[reference.name]?.[reference.key];
    if (reference !== undefined && secret === undefined)
      throw new Error(`there is no secret ${reference.name} with ${reference.key}`);
    values.set(name, secret ?? value.replaceAll(/\$\(([A-Z_]+)\)/g, (_, other: string) => values.get(other) ?? ''));
  }
  return [...values];
}

async function mountsOf({ spec }: PodTemplate, { volumeMounts = [] }: Container, cluster: Cluster): Promise<string[]> {
  // Volumes that would outlive the pod live as long as the container here. An engine gives them the mode of what they hide, so they need an owner.
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

/** The engine's volume that stands for a claim. It outlives its containers; whoever made it hands it to the user that writes to it. */
export function claimVolume({ network }: Cluster, claim: string): string {
  return `${network}-${claim}`;
}

// Of a volume that is a ConfigMap or a secret.
function filesOf(volume: Volume | undefined, { manifests, secrets }: Cluster): Files | undefined {
  const map = volume?.['configMap'] as { name: string } | undefined;
  const secret = volume?.['secret'] as { secretName: string } | undefined;
  if (map !== undefined)
    return manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map.name)?.data ?? {};
  if (volume?.['projected'] !== undefined) return Object.fromEntries(projectedFiles(volume, secrets));
  if (secret === undefined) return undefined;
  const files = secrets[secret.secretName];
  if (files === undefined) throw new Error(`there is no secret ${secret.secretName}`);
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
