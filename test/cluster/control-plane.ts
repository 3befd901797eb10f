import { access } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@survey/local/find-program.ts';
import { runTool } from '../chart/run-tool.ts';

/** A Kubernetes API server that the tests may use. */
export interface Cluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** True for the simulated control plane of this run: its nodes may be drained and its definitions deleted. */
  readonly isSimulated: boolean;
}

export interface RunningCluster {
  readonly cluster: Cluster;
  stop(): Promise<void>;
}

const UP = fileURLToPath(new URL('../../../shared/tools/kubernetes/up.sh', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.local/kubernetes', import.meta.url));
/** up.sh uses this many ports, one after the other. */
const PORTS = 6;

/** Uses the cluster of KUBECONFIG, else starts the simulated control plane; returns the reason where there is neither. */
export async function openCluster(): Promise<RunningCluster | string> {
  const kubeconfig = process.env['KUBECONFIG'];
  if (kubeconfig !== undefined) {
    const kubectl = await findProgram('kubectl');
    if (kubectl === undefined) return 'KUBECONFIG is set, but there is no kubectl in PATH';
    return { cluster: { kubeconfig, kubectl, isSimulated: false }, stop: () => Promise.resolve() };
  }
  const isThere = await access(UP).then(
    () => true,
    () => false,
  );
  if (!isThere) return 'neither KUBECONFIG is set nor is there a simulated control plane (../shared/tools/kubernetes/up.sh)';
  return start();
}

async function start(): Promise<RunningCluster | string> {
  const env = { PORT: String(await freePortRange()) };
  const { code, stdout, stderr } = await runTool(UP, [CACHE], { seconds: 180, env, isMemoryLimited: false });
  if (code !== 0) return `the simulated control plane does not start: ${stderr}${stdout}`;
  const kubeconfig = stdout.trim();
  const stop = async (): Promise<void> => void (await runTool(UP, [CACHE, 'down'], { isMemoryLimited: false }));
  return { cluster: { kubeconfig, kubectl: join(dirname(dirname(kubeconfig)), 'bin/kubectl'), isSimulated: true }, stop };
}

async function freePortRange(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const wanted = Array.from({ length: PORTS }, (_, index) => first + index);
    const servers = await Promise.all(wanted.map((port) => listen(port).catch(() => undefined)));
    await Promise.all(servers.map(async (server) => server && once(server.close(), 'close')));
    if (!servers.includes(undefined)) return first;
  }
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
