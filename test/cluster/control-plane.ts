import { findProgram } from '@survey/local/find-program.ts';
import { runTool } from '../support/chart/run-tool.ts';

/** The Kubernetes API server that the tests use. */
export interface Cluster {
  readonly kubeconfig: string;
  readonly kubectl: string;
  // Whether no node is real, so that tests may drain nodes and delete definitions of others.
  readonly isSimulated: boolean;
}

/** Returns the cluster of KUBECONFIG, or the reason why there is none. */
export async function findCluster(): Promise<Cluster | string> {
  const kubeconfig = process.env['KUBECONFIG'];
  if (kubeconfig === undefined) return 'KUBECONFIG is not set';
  const kubectl = await findProgram('kubectl');
  if (kubectl === undefined) return 'PATH has no kubectl';
  const kubelets = ['get', 'nodes', '--output', 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}'];
  const { code, stdout, stderr } = await runTool(kubectl, ['--kubeconfig', kubeconfig, ...kubelets], { isMemoryLimited: false });
  // A cluster that exists must respond: skipping the tests would hide its failure.
  if (code !== 0) throw new Error(`the cluster of KUBECONFIG does not respond: ${stderr}`);
  const versions = stdout.split(' ');
  // kwok, which simulates nodes, says so in their versions.
  return { kubeconfig, kubectl, isSimulated: versions.every((version) => version.startsWith('kwok-')) };
}
