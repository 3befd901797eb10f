import type { TestProject } from 'vitest/node';
import { setup as assembleChart } from '../chart/global-setup.ts';
import { findTools } from '../support/chart/tools.ts';
import { openCluster, type Cluster } from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    cluster: Cluster | undefined;
  }
}

/** Starts the control plane and builds the chart; otherwise skips the tests and prints why. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { helm3, helm4 } = await findTools();
  if (helm3 === undefined || helm4 === undefined)
    return skip(project, 'Helm 3 and Helm 4 are missing: run `.ci/tools` to install them');
  const opened = await openCluster();
  if (typeof opened === 'string') return skip(project, opened);
  project.provide('cluster', opened.cluster);
  const removeChart = await assembleChart(project);
  return async () => {
    await removeChart();
    await opened.stop();
  };
}

function skip(project: TestProject, reason: string): () => Promise<void> {
  process.stderr.write(`\ncluster tests: skipped: ${reason}\n`);
  project.provide('cluster', undefined);
  project.provide('tools', { helm3: undefined, helm4: undefined, promtool: undefined });
  project.provide('chart', '');
  return () => Promise.resolve();
}
