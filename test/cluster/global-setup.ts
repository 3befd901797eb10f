import type { TestProject } from 'vitest/node';
import { setup as assembleChart } from '../chart/global-setup.ts';
import { findTools } from '../chart/tools.ts';
import { openCluster, type Cluster } from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    cluster: Cluster | undefined;
  }
}

/** Brings up a control plane and the chart. Where one of them cannot be had, the tests are skipped and the reason is printed. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { helm3, helm4 } = await findTools();
  if (helm3 === undefined || helm4 === undefined) return skip(project, 'Helm 3 and Helm 4 are needed: `.ci/tools` brings them');
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
