import { join } from 'node:path';
import { readdir } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { inject } from 'vitest';
import type { Manifest } from './manifest.ts';
import { runTool, type ToolOutcome } from './run-tool.ts';

export interface RenderOptions {
  // A folder of charts/survey with its dependencies inside; by default the one under test.
  readonly chart?: string;
  // Files of values, as seen from the chart.
  readonly values?: readonly string[];
  // As for helm's --set.
  readonly set?: readonly string[];
  // As for helm's --set-string: what looks like a number and is none.
  readonly setString?: readonly string[];
  readonly release?: string;
  readonly kubeVersion?: string;
  readonly helm?: 'helm3' | 'helm4';
  // Kinds of other projects that the cluster says it has; by default all are assumed.
  readonly apis?: readonly string[];
}

export const PROFILES = ['small', 'ha', 'large-account'] as const;
export const VERSIONS = ['1.31', '1.33', '1.36'] as const;

/** What helm says to these values, also when it refuses them. */
export function template(options: RenderOptions): Promise<ToolOutcome> {
  const { values = [], set = [], setString = [], release = 'survey', kubeVersion = '1.33', helm = 'helm3', apis } = options;
  const chart = options.chart ?? inject('chart');
  const program = inject('tools')[helm];
  if (program === undefined) throw new Error(`no ${helm}: this test should have been skipped`);
  const assumed = apis === undefined ? ['--set', 'crds.assume=true'] : apis.flatMap((api) => ['--api-versions', api]);
  return runTool(program, [
    'template',
    release,
    chart,
    '--namespace',
    'survey',
    '--kube-version',
    `${kubeVersion}.0`,
    ...values.flatMap((file) => ['--values', join(chart, file)]),
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...setString.flatMap((assignment) => ['--set-string', assignment]),
    ...assumed,
  ]);
}

/** The text that helm renders. Throws what it says when it does not. */
export async function renderText(options: RenderOptions): Promise<string> {
  const { code, stdout, stderr } = await template(options);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

export async function render(options: RenderOptions): Promise<Manifest[]> {
  return parseManifests(await renderText(options));
}

/** All objects of a render. Throws for what is not YAML, such as a key that comes twice. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.join('; '));
    const manifest: unknown = document.toJS();
    return manifest === null ? [] : [manifest as Manifest];
  });
}

/** Every file of values that a combination of features has, and the profiles. */
export async function combinations(): Promise<string[]> {
  const ci = await readdir(join(inject('chart'), 'ci'));
  return [...PROFILES.map((profile) => `profiles/${profile}.yaml`), ...ci.sort().map((file) => `ci/${file}`)];
}
