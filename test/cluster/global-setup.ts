import type { TestProject } from 'vitest/node';
import { setup as findTools } from '../chart/global-setup.ts';
import { reportSkipped } from '../support/skipped.ts';
import { findCluster, type Cluster } from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    cluster: Cluster;
  }
}

/** Finds the cluster and the tools. @throws without a cluster: test/run.ts skips the tests then. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await findCluster();
  if (typeof cluster === 'string') throw new Error(`cannot run the cluster tests: ${cluster}`);
  if (!cluster.isSimulated) reportSkipped('cluster', 'what drains nodes or deletes definitions: KUBECONFIG has real nodes');
  project.provide('cluster', cluster);
  return findTools(project);
}
