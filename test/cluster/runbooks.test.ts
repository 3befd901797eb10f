import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runTool } from '../support/chart/run-tool.ts';
import { apply, cluster, createDefinitions, HELMS, isSimulated, kubectl } from './cluster.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Needs a kubelet or the repository of another project's chart. */
const CANNOT_RUN = /^kubectl .*\b(logs|exec|top|port-forward)\b|--repo /;
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
  await apply([secret('databases', 'survey-db-ca'), secret('databases', 'redis-tls'), secret('nats', 'nats-tls')]);
  for (const object of ['certificate/redis', 'cluster/survey-db'])
    await kubectl(['-n', 'databases', 'patch', object, '--type=merge', '--patch', JSON.stringify({ status: ready })]);
}

// Uses the namespaces that the runbooks name, so only in a simulated cluster.
describe.skipIf(!isSimulated).each(HELMS)('the runbooks with %s', (helm) => {
  let folder = '';

  beforeAll(async () => {
    await createDefinitions();
    folder = await mkdtemp(join(tmpdir(), 'survey-runbooks-'));
    for (const part of ['charts', 'deploy']) await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await mkdir(join(folder, 'bin'));
    await symlink(inject('tools')[helm] ?? '', join(folder, 'bin/helm'));
    await symlink(cluster?.kubectl ?? '', join(folder, 'bin/kubectl'));
    await writeFile(join(folder, 'my-values.yaml'), 'smtp: { from: survey@example.org }\n');
  });
  afterAll(async () => {
    await kubectl(['delete', 'namespace', ...NAMESPACES, '--timeout=120s']);
    await rm(folder, { recursive: true, force: true });
  });

  // Returns the blocks of a runbook, without those of the other Helm and lines that cannot run here.
  async function blocksOf(runbook: string): Promise<string[]> {
    const text = await readFile(join(ROOT, `docs/runbooks/${runbook}.md`), 'utf8');
    return [...text.matchAll(/^```sh needs-cluster( helm[34])?\n([^]*?)^```$/gm)]
      .filter(([, only]) => only === undefined || only.trim() === helm)
      .map(([, , block = '']) =>
        block
          .split('\n')
          .filter((line) => !CANNOT_RUN.test(line))
          .join('\n'),
      );
  }

  async function follow(block: string): Promise<void> {
    const script = `cd ${folder}\n${block.replaceAll('NODE', 'b2').replaceAll('"NEW"', '"p12345678"')}`;
    const env = { KUBECONFIG: cluster?.kubeconfig ?? '', PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}` };
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
    ).toEqual(['survey-db-ca', 'redis-tls', 'nats-tls', '']);
  });

  test.each(['upgrade', 'scale', 'rotate-secrets', 'drain-a-node', 'rollback'])('%s works as written', async (runbook) => {
    const blocks = await blocksOf(runbook);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) await follow(block);
  });
});
