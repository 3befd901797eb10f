import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { inject, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { MANAGED_HOSTS } from '../support/chart/render.ts';
import { runTool, type ToolOutcome } from '../support/chart/run-tool.ts';
import { customResourceDefinitions } from './definitions.ts';

/** The cluster under test. */
export const cluster = inject('cluster');
/** Whether the tests own the nodes and definitions of the cluster. */
export const { isSimulated } = cluster;

export type Helm = 'helm3' | 'helm4';
/** Whether to use one Helm version per test and only few combinations of values. */
export const isSlice = process.env['CLUSTER_SLICE'] !== undefined;
export const HELMS: readonly Helm[] = isSlice ? ['helm4'] : ['helm3', 'helm4'];

/** Runs kubectl and returns its standard output. @throws with standard error when it fails. */
export async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await tryKubectl(args, input);
  if (code !== 0) throw new Error(`cannot run kubectl ${args.slice(0, 4).join(' ')}: ${stderr}`);
  return stdout;
}

/** Starts a kubectl that runs until it is killed. */
export function startKubectl(args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  const { kubectl: program, kubeconfig } = cluster;
  return spawn(program, ['--kubeconfig', kubeconfig, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
}

export function tryKubectl(args: readonly string[], input = ''): Promise<ToolOutcome> {
  const { kubectl: program, kubeconfig } = cluster;
  return runTool(program, ['--kubeconfig', kubeconfig, ...args], { seconds: 240, input, isMemoryLimited: false });
}

interface Release {
  readonly helm: Helm;
  readonly namespace: string;
  /** Values file, relative to the chart, such as profiles/ha.yaml. */
  readonly values: string;
  readonly name?: string;
}

/** Installs or upgrades a release and waits for it. Resolves with any exit code of Helm. */
export function deploy({ helm, namespace, values, name = 'survey' }: Release, ...args: string[]): Promise<ToolOutcome> {
  const chart = inject('chart');
  return runHelm(
    helm,
    namespace,
    'upgrade',
    '--install',
    name,
    chart,
    '--values',
    join(chart, values),
    // A wait after each pod is ready would only make the tests longer.
    '--set',
    'defaults.rollout.minReadySeconds=0',
    ...(values === 'profiles/managed.yaml' ? MANAGED_HOSTS : []).flatMap((host) => ['--set', host]),
    '--wait',
    '--timeout',
    '120s',
    ...args,
  );
}

export function runHelm(helm: Helm, namespace: string, ...args: string[]): Promise<ToolOutcome> {
  const program = inject('tools')[helm];
  if (program === undefined) throw new Error(`cannot run ${helm}: not installed, the test must be skipped`);
  return runTool(program, ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace, ...args], {
    seconds: 240,
    isMemoryLimited: false,
  });
}

/**
 * Creates a namespace that is deleted after the test. A concurrent test passes the hook of its own
 * context.
 */
export async function createNamespace(
  labels: Readonly<Record<string, string>> = {},
  afterTest: typeof onTestFinished = onTestFinished,
): Promise<string> {
  const name = `survey-${randomBytes(4).toString('hex')}`;
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }]);
  afterTest(async () => void (await kubectl(['delete', 'namespace', name, '--wait=false'])));
  return name;
}

export async function apply(objects: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await kubectl(['apply', '--server-side', '--validate=false', '-f', '-'], JSON.stringify(list));
}

/** Creates the definitions of KEDA, cert-manager and others in the simulated control plane. */
export async function createDefinitions(): Promise<void> {
  if (!isSimulated) return;
  await apply(await customResourceDefinitions());
  // kubectl fails immediately when a definition has no conditions yet.
  const established = ['wait', '--for=condition=Established', 'customresourcedefinitions', '-l', 'survey-tests=definition'];
  await vi.waitFor(() => kubectl(established), { timeout: 30_000 });
}

/**
 * Creates volumes for the claims of one bundled installation, because the simulated control plane
 * has no provisioner.
 */
export async function createVolumes(count = 3, storageClassName = ''): Promise<void> {
  if (!isSimulated) return;
  const volumes = Array.from({ length: count }, () => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${randomBytes(6).toString('hex')}` },
    spec: { storageClassName, capacity: { storage: '16Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } },
  }));
  await apply(volumes);
}

const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
      spec: z.object({ nodeName: z.string().optional() }),
      status: z.object({
        phase: z.string(),
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
      }),
    }),
  ),
});
type RunningPod = z.output<typeof pods>['items'][number];

export async function podsIn(namespace: string): Promise<RunningPod[]> {
  return pods.parse(JSON.parse(await kubectl(['-n', namespace, 'get', 'pods', '-o', 'json']))).items;
}

const deployment = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ replicas: z.int() }),
  status: z.object({ readyReplicas: z.int().default(0) }),
});

/** Returns the number of wanted and ready pods by Deployment. */
export async function replicasIn(namespace: string): Promise<Record<string, { wanted: number; ready: number }>> {
  const list = JSON.parse(await kubectl(['-n', namespace, 'get', 'deployments', '-o', 'json']));
  const found = z.object({ items: z.array(deployment) }).parse(list).items;
  return Object.fromEntries(
    found.map(({ metadata, spec, status }) => [metadata.name, { wanted: spec.replicas, ready: status.readyReplicas }]),
  );
}
