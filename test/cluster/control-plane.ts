import { access } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@survey/local/find-program.ts';
import { runTool } from '../support/chart/run-tool.ts';

/** The Kubernetes API server that the tests use. */
export interface Cluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** Whether this run owns the control plane and may drain nodes and delete definitions. */
  readonly isSimulated: boolean;
}

interface RunningCluster {
  readonly cluster: Cluster;
  stop(): Promise<void>;
}

const UP = fileURLToPath(new URL('../../../shared/tools/kubernetes/up.sh', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.local/kubernetes', import.meta.url));
/** Number of consecutive ports that up.sh uses. */
const PORTS = 6;

/**
 * Uses the cluster of KUBECONFIG, or else starts the simulated control plane. Returns the reason
 * when neither exists.
 * @throws when the simulated control plane exists but does not start
 */
export async function openCluster(): Promise<RunningCluster | string> {
  const kubeconfig = process.env['KUBECONFIG'];
  if (kubeconfig !== undefined) {
    const kubectl = await findProgram('kubectl');
    if (kubectl === undefined) return 'KUBECONFIG is set, but PATH has no kubectl';
    return { cluster: { kubeconfig, kubectl, isSimulated: false }, stop: () => Promise.resolve() };
  }
  const exists = await access(UP).then(
    () => true,
    () => false,
  );
  if (!exists) return 'KUBECONFIG is not set, and the simulated control plane (../shared/tools/kubernetes/up.sh) does not exist';
  return start();
}

// A control plane that exists must start: skipping the tests would hide its failure.
async function start(): Promise<RunningCluster> {
  const env = { PORT: String(await freePortRange()) };
  const { code, stdout, stderr } = await runTool(UP, [CACHE], { seconds: 180, env, isMemoryLimited: false });
  if (code !== 0) throw new Error(`cannot start the simulated control plane: ${stderr}${stdout}`);
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
