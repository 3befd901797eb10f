import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { inject } from 'vitest';
import type { Manifest } from './manifest.ts';
import { runTool, type ToolOutcome } from './run-tool.ts';

interface RenderOptions {
  // Folder of the chart; default: the chart under test.
  readonly chart?: string;
  // Values files, relative to the chart.
  readonly values?: readonly string[];
  // As for helm's --set.
  readonly set?: readonly string[];
  // As for helm's --set-string.
  readonly setString?: readonly string[];
  readonly release?: string;
  readonly helm?: 'helm3' | 'helm4';
  // API versions of other projects that the cluster offers; default: all.
  readonly apis?: readonly string[];
}

/** What the profile of managed stores refuses to be rendered without. */
export const MANAGED_HOSTS = ['postgres.host=db.example.org', 'redis.host=redis.example.org'];

export const PROFILES = ['small', 'ha', 'large-account'] as const;

/** Runs helm template. Resolves also when helm rejects the values. */
export function template(options: RenderOptions): Promise<ToolOutcome> {
  const { values = [], set = [], setString = [], release = 'survey', helm = 'helm3', apis } = options;
  const chart = options.chart ?? inject('chart');
  const program = inject('tools')[helm];
  if (program === undefined) throw new Error(`cannot run ${helm}: not installed, the test must be skipped`);
  const assumed = apis === undefined ? ['--set', 'crds.assume=true'] : apis.flatMap((api) => ['--api-versions', api]);
  return runTool(program, [
    'template',
    release,
    chart,
    '--namespace',
    'survey',
    '--kube-version',
    '1.33.0',
    ...values.flatMap((file) => ['--values', join(chart, file)]),
    ...(values.includes('profiles/managed.yaml') ? MANAGED_HOSTS : []).flatMap((host) => ['--set', host]),
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...setString.flatMap((assignment) => ['--set-string', assignment]),
    ...assumed,
  ]);
}

/** Returns the rendered text. @throws with the message of helm when it fails. */
export async function renderText(options: RenderOptions): Promise<string> {
  const { code, stdout, stderr } = await template(options);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Returns all objects of a render. A run renders each options once: many tests read the same. */
export async function render(options: RenderOptions): Promise<Manifest[]> {
  const key = createHash('sha256').update(JSON.stringify(options)).digest('hex');
  const file = join(inject('renders'), `${key}.json`);
  const cached = await readFile(file, 'utf8').catch(() => undefined);
  if (cached !== undefined) return JSON.parse(cached) as Manifest[];
  const manifests = parseManifests(await renderText(options));
  // Another worker may read or write the same file at the same time.
  const written = `${file}.${randomUUID()}`;
  await writeFile(written, JSON.stringify(manifests));
  await rename(written, file);
  return manifests;
}

/** Returns all objects of a render. @throws for invalid YAML, such as a duplicate key. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.join('; '));
    const manifest: unknown = document.toJS();
    return manifest === null ? [] : [manifest as Manifest];
  });
}

/** Returns the profiles and the values files of all feature combinations. */
export async function combinations(): Promise<string[]> {
  const ci = await readdir(join(inject('chart'), 'ci'));
  return [
    ...PROFILES.map((profile) => `profiles/${profile}.yaml`),
    'profiles/managed.yaml',
    ...ci.sort().map((file) => `ci/${file}`),
  ];
}
