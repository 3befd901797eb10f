import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '../support/chart/manifest.ts';
import { containerArguments, type Cluster } from './container-arguments.ts';
import { docker, logsOf } from './docker.ts';

/** A running container, which represents a pod. */
export interface RunningPod {
  readonly id: string;
  readonly component: string;
  // Returns the published address of a container port as host:port.
  at(containerPort: number): Promise<string>;
}

/** A rendered chart running on a Docker engine. */
export interface Release extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly pods: readonly RunningPod[];
  // Runs a workload to its end and returns its exit code and output.
  complete(workload: Manifest): Promise<{ code: number; output: string }>;
  // Starts another pod of a component and waits until it is ready.
  add(component: string): Promise<RunningPod>;
  // Uses these manifests for pods started from now on, as an upgrade does.
  become(manifests: readonly Manifest[]): void;
  // Stops a pod as the kubelet does (SIGTERM, SIGKILL after the grace period); returns the exit
  // code.
  stop(pod: RunningPod): Promise<number>;
}

const READY_MS = 120_000;
const COMPONENT = 'app.kubernetes.io/component';

export async function openRelease(first: readonly Manifest[], secrets: Cluster['secrets']): Promise<Release> {
  const network = `survey-${randomUUID().slice(0, 8)}`;
  const folder = await mkdtemp(join(tmpdir(), 'survey-release-'));
  let cluster: Cluster = { manifests: first, network, secrets, folder };
  await docker('network', 'create', network);
  const started: string[] = [];
  const pods: RunningPod[] = [];
  const create = async (workload: Manifest): Promise<string> => {
    const args = await containerArguments(workload, cluster);
    const id = await docker('run', '--detach', '--network', network, ...args);
    started.push(id);
    return id;
  };
  return {
    get cluster() {
      return cluster;
    },
    pods,
    become: (manifests) => {
      cluster = { ...cluster, manifests };
    },
    complete: async (workload) => {
      const id = await create(workload);
      const code = Number(await docker('wait', id));
      return { code, output: await logsOf(id) };
    },
    add: async (component) => {
      const workload = cluster.manifests.find(
        ({ kind, metadata }) => LONG_RUNNING.has(kind) && metadata.labels?.[COMPONENT] === component,
      );
      if (workload === undefined) throw new Error(`cannot start ${component}: no Deployment or StatefulSet has this name`);
      const pod = podAt(await create(workload), component);
      await waitUntilReady(pod, workload);
      pods.push(pod);
      return pod;
    },
    stop: async (pod) => {
      pods.splice(pods.indexOf(pod), 1);
      await docker('stop', pod.id);
      return Number(await docker('inspect', '--format', '{{.State.ExitCode}}', pod.id));
    },
    [Symbol.asyncDispose]: async () => {
      if (started.length > 0) await docker('rm', '--force', '--volumes', ...started);
      const claims = await docker('volume', 'ls', '--quiet', '--filter', `name=${network}`);
      if (claims !== '') await docker('volume', 'rm', ...claims.split('\n'));
      await docker('network', 'rm', network);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const LONG_RUNNING = new Set(['Deployment', 'StatefulSet']);

function podAt(id: string, component: string): RunningPod {
  return { id, component, at: async (port) => (await docker('port', id, String(port))).split('\n')[0] ?? '' };
}

// Uses the readiness probe, as the kubelet does.
async function waitUntilReady(pod: RunningPod, workload: Manifest): Promise<void> {
  const probe = workload.spec?.template?.spec.containers?.[0]?.readinessProbe;
  const ports = workload.spec?.template?.spec.containers?.[0]?.ports ?? [];
  const port = ports.find(({ name }) => name === probe?.httpGet?.port)?.containerPort ?? 0;
  const address = probe?.httpGet && (await pod.at(port));
  const isReady = (): Promise<unknown> =>
    address === undefined
      ? docker('exec', pod.id, ...(probe?.exec?.command ?? []))
      : fetch(`http://${address}${probe?.httpGet?.path}`).then((response) =>
          response.ok ? undefined : Promise.reject(new Error('not ready')),
        );
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const failure = await isReady().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    const hasExited = (await docker('inspect', '--format', '{{.State.Running}}', pod.id)) !== 'true';
    if (hasExited || Date.now() > deadline)
      throw new Error(`cannot start ${pod.component}: not ready in time:\n${await logsOf(pod.id)}`, { cause: failure });
    await sleep(200);
  }
}
