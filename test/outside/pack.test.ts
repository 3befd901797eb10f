import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_VERSION } from '@survey/gateway/openapi/document.ts';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { canSign, expectSignature, linesThatVerify, openSigner } from '../support/signing.ts';
import { reportSkipped } from '../support/skipped.ts';
import { run } from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOLS = join(ROOT, '.local/tools');
const HELM = join(TOOLS, 'helm4');
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

it('is compared with by the next release in everything that deploy/bin/release renews', async () => {
  const script = await readFile(join(ROOT, 'deploy/bin/release'), 'utf8');
  const renewed = ['test:chart -- released', 'npm test -- --only system released', 'npm run --silent keep-released'];
  expect(renewed.filter((command) => !script.includes(command))).toEqual([]);
});

if (!existsSync(HELM)) reportSkipped('pack', 'a release: `.ci/tools` brings Helm 4');

describe.skipIf(!existsSync(HELM))('deploy/bin/release --dry-run', () => {
  it(
    'writes the same bytes with and without signatures, which the documented commands verify',
    { timeout: 900_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'survey-release-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const at = (name: string): string => join(folder, name);
      // A clone, because what is not committed is no part of a release.
      await run('git', ['clone', '--quiet', '--local', ROOT, at('source')]);
      await mkdir(at('gpg'), { mode: 0o700 });
      const gpg = (...args: string[]) => run('gpg', ['--homedir', at('gpg'), '--batch', '--passphrase', '', ...args]);
      await gpg('--pinentry-mode', 'loopback', '--quick-gen-key', 'survey', 'rsa2048', 'sign');
      await gpg('--pinentry-mode', 'loopback', '--output', at('secret.gpg'), '--export-secret-keys');
      const key = ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', at('key.pem')];
      await run('openssl', key);
      const signing = ['--key', at('key.pem'), '--chart-key', 'survey', '--keyring', at('secret.gpg')];
      for (const [output, options] of [
        ['first', signing],
        ['second', []],
      ] as const)
        await run('deploy/bin/release', ['9.9.9', '--dry-run', ...options, '--output', at(output)], {
          cwd: at('source'),
          env: { ...process.env, HELM },
          maxBuffer: 2 ** 26,
        });
      await gpg('--output', at('first/survey.gpg'), '--export');
      const [first, second] = await Promise.all(['first', 'second'].map((one) => readFile(at(`${one}/SHA256SUMS`), 'utf8')));
      expect(second).toBe(first);
      for (const name of ['survey-9.9.9.tgz', 'survey-surveyctl-9.9.9.tgz', 'survey-9.9.9.cdx.json', 'survey-9.9.9.intoto.json'])
        expect(first).toContain(`  ${name}\n`);
      const lines = await linesThatVerify();
      expect(lines).toHaveLength(4);
      // The next test has an image.
      const verify = lines.filter((line) => !line.startsWith('cosign ')).map((line) => line.replaceAll('0.2.0', '9.9.9'));
      const follow = (steps: string[]) =>
        run('bash', ['-c', ['set -e', `helm() { '${HELM}' "$@"; }`, ...steps].join('\n')], { cwd: at('first') });
      await follow(verify);
      await appendFile(at('first/survey-9.9.9.tgz'), 'another');
      const faults = ['1 computed checksum did NOT match', 'sha256 sum does not match'];
      for (const [place, fault] of faults.entries())
        await expect(follow(verify.slice(place + 1))).rejects.toMatchObject({ stderr: expect.stringContaining(fault) });
    },
  );
});

if (!canSign) reportSkipped('pack', 'a signed image: `.ci/tools` brings cosign and crane');

describe.skipIf(!canSign)('an image', () => {
  it('is signed as deploy/bin/release does, and verified as documented without a network', { timeout: 120_000 }, async () => {
    await using signer = await openSigner();
    const append = async (content: string): Promise<string> => {
      const layer = `echo ${content} > file && tar -czf layer.tar.gz file`;
      return (await signer.run(`${layer} && crane append --new_layer layer.tar.gz --new_tag ${signer.repository}:9.9.9`)).trim();
    };
    await expectSignature(signer, await append('released'), await append('tampered'));
  });
});
