import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { containersOf, podOf } from '../support/chart/manifest.ts';
import { render } from '../support/chart/render.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { helm3, helm4 } = inject('tools');

const chart = z.looseObject({
  version: z.string(),
  appVersion: z.string(),
  annotations: z.record(z.string(), z.string()).optional(),
});
const chartAt = async (folder: string): Promise<z.output<typeof chart>> =>
  chart.parse(parse(await readFile(join(folder, 'charts/survey/Chart.yaml'), 'utf8')));

test('the chart has the version of the program', async () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  expect(await chartAt(ROOT)).toMatchObject({ version, appVersion: version });
});

test.skipIf(helm3 === undefined)('the chart lists the images of its pods', async () => {
  const listed = z.array(z.object({ name: z.string(), image: z.string() }));
  const { annotations } = await chartAt(ROOT);
  const images = listed.parse(parse(annotations?.['artifacthub.io/images'] ?? '')).map(({ image }) => image);
  const manifests = await render({ values: ['ci/bundled-values.yaml'] });
  const rendered = manifests.flatMap((one) => containersOf(podOf(one)?.spec ?? {})).map(({ image }) => image);
  expect(new Set(rendered)).toEqual(new Set(images));
});

describe.skipIf(helm3 === undefined)('release-charts', () => {
  let folder = '';
  const release = (...args: string[]): Promise<{ stdout: string }> =>
    run(join(folder, 'deploy/bin/release-charts'), args, { env: { ...process.env, HELM: helm3 } });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-release-'));
    await mkdir(join(folder, 'deploy'));
    for (const part of ['charts', 'deploy/bin', 'deploy/compose.yaml'])
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await writeFile(
      join(folder, 'CHANGELOG.md'),
      [
        '# Changelog\n\n## [Unreleased]\n\n## [9.8.7] - 2026-01-31',
        '### Added\n\n#### API\n\n- It says "yes"\n  on two lines.\n\n#### Import\n\n- More.',
        '### Fixed\n\n- Less.\n\n## [9.8.6] - 2026-01-01\n\n### Added\n\n- Old.\n',
      ].join('\n\n'),
    );
    await release('set', '9.8.7');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('set writes the version and its changes', async () => {
    const { annotations, ...survey } = await chartAt(folder);
    expect(survey).toMatchObject({ version: '9.8.7', appVersion: '9.8.7' });
    expect(parse(annotations?.['artifacthub.io/changes'] ?? '')).toEqual([
      { kind: 'added', description: 'It says "yes" on two lines.' },
      { kind: 'added', description: 'More.' },
      { kind: 'fixed', description: 'Less.' },
    ]);
    expect(parse(annotations?.['artifacthub.io/images'] ?? '')).toContainEqual({ name: 'survey', image: 'survey:9.8.7' });
    expect(await readFile(join(folder, 'deploy/compose.yaml'), 'utf8')).toContain(':-survey:9.8.7}');
  });

  test.each(['latest', '9.8', '9.8.8'])(
    'set rejects %s when it is not a version or the changelog does not contain it',
    async (version) => {
      await expect(release('set', version)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(version) });
    },
  );

  test.each(['helm3', 'helm4'] as const)('pack builds a chart that %s renders', async (name) => {
    const helm = name === 'helm3' ? helm3 : helm4;
    if (helm === undefined) return;
    const { stdout } = await release('pack', join(folder, name));
    expect(stdout).toMatch(/^[0-9a-f]{64} {2}survey-9\.8\.7\.tgz\n$/);
    const values = join(folder, 'charts/survey/profiles/small.yaml');
    const args = ['template', 'survey', join(folder, name, 'survey-9.8.7.tgz'), '--values', values, '--kube-version', '1.33.0'];
    expect((await run(helm, args, { maxBuffer: 2 ** 26 })).stdout).toContain('image: survey:9.8.7');
  });

  test('pack names the source of the chart and the key of its signature when their URLs are set', async () => {
    const url = 'https://git.example.org/survey';
    const signKey = { fingerprint: '0123456789ABCDEF', url: 'https://git.example.org/survey.asc' };
    const named = { SOURCE_URL: url, SIGN_KEY_URL: signKey.url, SIGN_KEY_FINGERPRINT: signKey.fingerprint };
    const env = { ...process.env, HELM: helm3, ...named };
    await run(join(folder, 'deploy/bin/release-charts'), ['pack', join(folder, 'sourced')], { env });
    const { stdout } = await run(helm3 ?? '', ['show', 'chart', join(folder, 'sourced/survey-9.8.7.tgz')]);
    const packed = chart.parse(parse(stdout));
    expect(packed).toMatchObject({ home: url, sources: [url] });
    expect(parse(packed.annotations?.['artifacthub.io/signKey'] ?? '')).toEqual(signKey);
  });
});
