import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runTool } from '../support/chart/run-tool.ts';
import { apply, cluster, createDefinitions, createVolumes, deploy, HELMS, isSimulated, isSlice, kubectl } from './cluster.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUNBOOKS = new URL('../../docs/runbooks/', import.meta.url);
/** Needs a kubelet, a plugin of kubectl, or the repository of another project's chart. */
const CANNOT_RUN = /^kubectl .*\b(logs|exec|top|port-forward)\b|^kubectl cnpg|--repo /;
/** Runbooks of a release with bundled stores. */
const BUNDLED = ['restore', 'lose-redis'];
/** Runbooks that depend on each other; all others follow in any order. */
const FIRST = ['upgrade', 'scale', 'rotate-secrets', 'drain-a-node', 'rollback'];
/** Stops a service. */
const LAST = 'AnonymitySuppressionAnomaly';
const apart = new Set(['install', 'install-managed', ...BUNDLED, ...FIRST, LAST]);
const others = readdirSync(RUNBOOKS)
  .filter((file) => readFileSync(new URL(file, RUNBOOKS), 'utf8').includes('```sh needs-cluster'))
  .map((file) => file.replace('.md', ''))
  .filter((runbook) => runbook !== 'README' && !apart.has(runbook));
const NAMESPACES = ['survey', 'databases', 'nats'];

const secret = (namespace: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  stringData: { 'ca.crt': `${name}\n` },
});
const ready = {
  conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
};

// Creates the results of the operators that sign certificates and start stores: none runs here.
async function actAsOperators(): Promise<void> {
  await apply([secret('databases', 'survey-db-tls')]);
  for (const object of ['certificate/redis', 'certificate/survey-db', 'cluster/survey-db'])
    await kubectl(['-n', 'databases', 'patch', object, '--type=merge', '--patch', JSON.stringify({ status: ready })]);
}

// Uses the namespaces that the runbooks name, so only in a simulated cluster.
describe.skipIf(!isSimulated).each(HELMS)('the runbooks with %s', (helm) => {
  let folder = '';

  beforeAll(async () => {
    await createDefinitions();
    await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cert-manager' } }]);
    folder = await mkdtemp(join(tmpdir(), 'survey-runbooks-'));
    for (const part of ['charts', 'deploy']) await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await mkdir(join(folder, 'bin'));
    await symlink(inject('tools')[helm] ?? '', join(folder, 'bin/helm'));
    await symlink(cluster.kubectl, join(folder, 'bin/kubectl'));
    const values = 'smtp: { from: survey@example.org }\ndefaults: { rollout: { minReadySeconds: 0 } }\n';
    await writeFile(join(folder, 'my-values.yaml'), values);
  });
  afterAll(async () => {
    await kubectl(['delete', 'namespace', 'cert-manager', ...NAMESPACES, '--timeout=120s']);
    await rm(folder, { recursive: true, force: true });
  });

  // Returns the blocks of a runbook, without those of the other Helm and lines that cannot run
  // here.
  async function blocksOf(runbook: string): Promise<string[]> {
    const text = await readFile(new URL(`${runbook}.md`, RUNBOOKS), 'utf8');
    return [...text.matchAll(/^ *```sh needs-cluster( helm[34])?\n([^]*?)^ *```$/gm)]
      .filter(([, only]) => only === undefined || only.trim() === helm)
      .map(([, , block = '']) =>
        block
          .split('\n')
          .filter((line) => !CANNOT_RUN.test(line.trimStart()))
          .join('\n'),
      );
  }

  async function follow(block: string): Promise<void> {
    const pod = "$(kubectl -n survey get pods -o go-template='{{(index .items 0).metadata.name}}')";
    const words = { NODE: 'b2', POD: pod, 'certificate NAME': 'certificate survey-export', '"NEW"': '"p12345678"' };
    const filled = Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, () => value), block);
    const script = `cd ${folder}\n${filled}`;
    const env = { KUBECONFIG: cluster.kubeconfig, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}` };
    const { code, stdout, stderr } = await runTool('bash', ['-euxo', 'pipefail', '-c', script], {
      seconds: 280,
      env,
      isMemoryLimited: false,
    });
    expect({ code, said: code === 0 ? '' : `${stdout}${stderr}`.slice(-3_000) }).toEqual({ code: 0, said: '' });
  }

  test('install creates namespaces, secrets, stores and the release', async () => {
    const blocks = await blocksOf('install');
    expect(blocks).toHaveLength(4);
    for (const [place, block] of blocks.entries()) {
      if (place === 2) await actAsOperators();
      await follow(block);
    }
    expect(
      (await kubectl(['-n', 'survey', 'get', 'configmap', 'survey-ca', '-o', 'go-template={{index .data "ca.crt"}}'])).split(
        '\n',
      ),
    ).toEqual(['survey-db-tls', '']);
  });

  test.each(isSlice ? FIRST : [...FIRST, ...others, LAST])('%s works as written', async (runbook) => {
    const blocks = await blocksOf(runbook);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) await follow(block);
  });

  test.skipIf(isSlice)('restore and lose-redis work as written when the stores are bundled', async () => {
    await kubectl(['delete', 'namespace', 'survey', '--timeout=120s']);
    await kubectl(['create', 'namespace', 'survey']);
    await createVolumes(4);
    expect(await deploy({ helm, namespace: 'survey', values: 'profiles/small.yaml' })).toMatchObject({ code: 0 });
    for (const runbook of BUNDLED) for (const block of await blocksOf(runbook)) await follow(block);
  });
});
