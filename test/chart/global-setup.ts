import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { runTool } from '../support/chart/run-tool.ts';
import { findTools, type Tools } from '../support/chart/tools.ts';
import { reportSkipped } from '../support/skipped.ts';

declare module 'vitest' {
  interface ProvidedContext {
    tools: Tools;
    // Folder with a copy of charts/survey and its dependencies.
    chart: string;
  }
}

const CHARTS = fileURLToPath(new URL('../../charts', import.meta.url));

/** Builds the charts with their dependencies in a temporary folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await findTools();
  const missing = Object.entries(tools).filter(([, path]) => path === undefined);
  const names = missing.map(([name]) => name).join(' and ');
  if (names !== '') reportSkipped('chart', `what needs ${names}: \`.ci/tools\` makes it with Go, or takes it from Debian`);
  const folder = await mkdtemp(join(tmpdir(), 'survey-charts-'));
  await cp(CHARTS, folder, { recursive: true });
  project.provide('tools', tools);
  project.provide('chart', join(folder, 'survey'));
  const helm = tools.helm3 ?? tools.helm4;
  if (helm !== undefined) await assembleCharts(helm, folder);
  return () => rm(folder, { recursive: true, force: true });
}

/** Adds the dependencies to the charts in a folder. */
export async function assembleCharts(helm: string, folder: string): Promise<void> {
  for (const chart of ['survey-deps', 'survey']) await assemble(helm, join(folder, chart));
}

async function assemble(helm: string, chart: string): Promise<void> {
  const { code, stderr } = await runTool(helm, ['dependency', 'build', chart]);
  if (code !== 0) throw new Error(`cannot build the dependencies of ${chart}: ${stderr}`);
}
