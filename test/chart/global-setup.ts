import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { findTools, type Tools } from '../support/chart/tools.ts';
import { reportSkipped } from '../support/skipped.ts';

declare module 'vitest' {
  interface ProvidedContext {
    tools: Tools;
    // Folder of the chart.
    chart: string;
    // Folder in which a run keeps what it has rendered.
    renders: string;
  }
}

/** Finds the tools and the chart. What needs a missing tool is skipped. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await findTools();
  const missing = Object.entries(tools).filter(([, path]) => path === undefined);
  const names = missing.map(([name]) => name).join(' and ');
  if (names !== '') reportSkipped('chart', `what needs ${names}: \`.ci/tools\` makes it with Go, or takes it from Debian`);
  project.provide('tools', tools);
  project.provide('chart', fileURLToPath(new URL('../../charts/survey', import.meta.url)));
  const renders = await mkdtemp(join(tmpdir(), 'survey-renders-'));
  project.provide('renders', renders);
  return () => rm(renders, { recursive: true, force: true });
}
