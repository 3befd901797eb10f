import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_VERSION } from '@survey/gateway/openapi/document.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { packAll } from '../../tools/pack/pack-all.ts';
import manifest from '../../package.json' with { type: 'json' };
import { run } from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WHEEL = `survey_client-${API_VERSION}-py3-none-any.whl`;

const FILES = [
  'airbyte/README.md',
  'airbyte/manifest.yaml',
  `survey-client-${API_VERSION}.tgz`,
  `survey-events-${manifest.version}.tgz`,
  `survey-surveyctl-${manifest.version}.tgz`,
];
const PYTHON_FILES = [
  ...['README.md', 'load_duckdb.py', 'plot.py', 'requirements.txt', 'survey_columns.py', 'survey_source.py', WHEEL].map(
    (name) => `dlt/${name}`,
  ),
  `survey_client-${API_VERSION}.tar.gz`,
  WHEEL,
];
const CHART = `survey-${manifest.version}.tgz`;

describe('npm run pack', () => {
  const isOmitted = (part: string): boolean => inject('omissions').some((omission) => omission.includes(part));
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-pack-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('writes everything that others install, in the versions of the API and of the program', async () => {
    const sums = await readFile(join(inject('dist'), 'SHA256SUMS'), 'utf8');
    const files = [...FILES, ...(isOmitted('Python') ? [] : PYTHON_FILES), ...(isOmitted('chart') ? [] : [CHART])];
    expect([...sums.matchAll(/^[0-9a-f]{64} {2}(.*)$/gm)].map(([, name]) => name)).toEqual(files.toSorted());
    const { stdout } = await run('shasum', ['--algorithm', '256', '--check', 'SHA256SUMS'], { cwd: inject('dist') });
    expect(stdout.match(/: OK$/gm)).toHaveLength(files.length);
  });

  it('writes the same bytes again', { timeout: 300_000 }, async () => {
    const again = join(folder, 'again');
    await mkdir(again);
    await packAll(again);
    const sums = (dist: string): Promise<string> => readFile(join(dist, 'SHA256SUMS'), 'utf8');
    expect(await sums(again)).toBe(await sums(inject('dist')));
  });

  it.each(['typescript', 'events'])('is named by the error of who installs the folder clients/%s', async (name) => {
    const own = await mkdtemp(join(folder, 'own-'));
    const install = run(
      'npm',
      ['install', '--loglevel=error', '--no-audit', '--no-fund', '--offline', join(ROOT, 'clients', name)],
      { cwd: own },
    );
    await expect(install).rejects.toMatchObject({
      stderr: expect.stringContaining('install the file that `npm run pack` writes'),
    });
  });

  it.each(FILES.filter((name) => name.endsWith('.tgz')))('takes no package of ours from a registry into %s', async (name) => {
    const { stdout } = await run('tar', ['-xzOf', join(inject('dist'), name), 'package/package.json']);
    const { dependencies = {} } = JSON.parse(stdout) as { dependencies?: Record<string, string> };
    expect(Object.keys(dependencies).filter((dependency) => dependency.startsWith('@survey/'))).toEqual([]);
    const { stdout: files } = await run('tar', ['-xzOf', join(inject('dist'), name)], { maxBuffer: 2 ** 26 });
    expect(files.match(/^(?:im|ex)port .* from ['"]@survey\/(?!client|events).*$/gm)).toBeNull();
  });

  it('is how every document gets the packages, whose names anybody could register', async () => {
    const { stdout } = await run('git', ['grep', '-h', 'install ', '--', '*.md', '*.mjs'], { cwd: ROOT });
    expect(stdout).toContain(`survey-client-${API_VERSION}.tgz`);
    expect(stdout.match(/install .*(@survey\/|survey[-_]client\b(?!-[\d.]+)).*/g)).toBeNull();
  });
});
