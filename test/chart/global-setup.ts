import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { runTool } from './run-tool.ts';
import { findTools, type Tools } from './tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    tools: Tools;
    // A copy of charts/survey with its dependencies inside.
    chart: string;
  }
}

const CHARTS = fileURLToPath(new URL('../../charts', import.meta.url));

/** Puts the charts together in a folder of its own. Without Helm the tests that need it are skipped; in CI that is a failure. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tools = await findTools();
  const missing = Object.entries(tools).filter(([, path]) => path === undefined);
  if (missing.length > 0) complain(missing.map(([name]) => name).join(', '));
  const folder = await mkdtemp(join(tmpdir(), 'survey-charts-'));
  await cp(CHARTS, folder, { recursive: true });
  project.provide('tools', tools);
  project.provide('chart', join(folder, 'survey'));
  const helm = tools.helm3 ?? tools.helm4;
  if (helm !== undefined) await assembleCharts(helm, folder);
  return () => rm(folder, { recursive: true, force: true });
}

function complain(names: string): void {
  const message = `${names} not found: \`.ci/tools\` brings them (it needs Go, and Debian for promtool)`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n${message}. Tests that need them are skipped.\n`);
}

/** Puts into the charts below a folder what they depend on. */
export async function assembleCharts(helm: string, folder: string): Promise<void> {
  for (const chart of ['survey-deps', 'survey']) await assemble(helm, join(folder, chart));
}

async function assemble(helm: string, chart: string): Promise<void> {
  const { code, stderr } = await runTool(helm, ['dependency', 'build', chart]);
  if (code !== 0) throw new Error(`the dependencies of ${chart} do not come together: ${stderr}`);
}
