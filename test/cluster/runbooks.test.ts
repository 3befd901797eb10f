import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runTool } from '../support/chart/run-tool.ts';
import { onDay } from '../support/year-log.ts';
import { apply, cluster, createDefinitions, createVolumes, deploy, HELMS, isSimulated, isSlice, kubectl } from './cluster.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUNBOOKS = new URL('../../docs/runbooks/', import.meta.url);
/**
 * What needs a kubelet runs until the API server turns to it, so names, flags and selectors are
 * right, and selectors select something. Of the plugin of CloudNativePG, only the cluster is looked
 * up.
 */
const KUBECTL = `#!/usr/bin/env bash
case " $* " in
  ' cnpg '*) [[ $4 =~ ^(psql|status|promote)$ ]] && exec "$REAL_KUBECTL" "\${@:2:2}" get cluster "$5" ;;
  *' logs '* | *' exec '* | *' top '* | *' port-forward '*) said=$("$REAL_KUBECTL" "$@" 2>&1 </dev/null) ;;
  *) exec "$REAL_KUBECTL" "$@" ;;
esac
grep -q -e '10250: connect: connection refused' -e 'Metrics API not available' <<<"$said" || { echo "$said" >&2; exit 1; }
`;
/** The chart of NATS is not here. This one has the pod that runbooks use. */
const NATS_CHART = {
  'Chart.yaml': '{ apiVersion: v2, name: nats, version: 1.0.0 }',
  'templates/box.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: { name: '{{ .Release.Name }}-box' }
spec:
  selector: { matchLabels: { app: nats-box } }
  template:
    metadata: { labels: { app: nats-box } }
    spec: { containers: [{ name: nats-box, image: nats-box:1 }] }
`,
};
/** Runbooks of a release with bundled stores. */
const BUNDLED = ['restore', 'lose-redis'];
/** Runbooks that depend on each other; all others follow in any order. */
const FIRST = ['upgrade', 'scale', 'rotate-secrets', 'drain-a-node', 'rollback'];
/** Stops a service; needs a release that has failed. */
const LAST = ['AnonymitySuppressionAnomaly', 'PrepareJobFailed'];
/** Runbooks that the year needs, with their day. */
const PLAYED: Readonly<Record<string, readonly [day: number, what: string]>> = {
  'rotate-secrets': [30, 'passwords of a role and of the owner are new; survey-prepare sets the former'],
  CertExpiring: [55, 'the certificates, their ends and what should renew them are shown'],
  'drain-a-node': [100, 'a node is emptied for maintenance, and returns'],
  scale: [150, 'the autoscaler of a service has a new maximum'],
  upgrade: [180, 'the release is upgraded'],
  rollback: [181, 'the release is rolled back'],
  'lose-a-nats-node': [200, 'a NATS server is lost, and replaced'],
  'database-failover': [220, 'a standby is promoted'],
};
const apart = new Set(['install', 'install-managed', ...BUNDLED, ...FIRST, ...LAST]);
const others = readdirSync(RUNBOOKS)
  .filter((file) => readFileSync(new URL(file, RUNBOOKS), 'utf8').includes('```sh needs-cluster'))
  .map((file) => file.replace('.md', ''))
  .filter((runbook) => runbook !== 'README' && !apart.has(runbook));
const VALUES = {
  smtp: { from: 'survey@example.org' },
  console: { enabled: true, host: 'console.example.org' },
  defaults: { rollout: { minReadySeconds: 0 } },
};
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
    await writeFile(join(folder, 'bin/kubectl'), KUBECTL, { mode: 0o755 });
    await mkdir(join(folder, 'nats/templates'), { recursive: true });
    for (const [name, text] of Object.entries(NATS_CHART)) await writeFile(join(folder, 'nats', name), text);
    await writeFile(join(folder, 'my-values.yaml'), stringify(VALUES));
  });
  afterAll(async () => {
    await kubectl(['delete', 'namespace', 'cert-manager', ...NAMESPACES, '--timeout=120s']);
    await rm(folder, { recursive: true, force: true });
  });

  // Returns the blocks of a runbook, without those of the other Helm.
  async function blocksOf(runbook: string): Promise<string[]> {
    const text = await readFile(new URL(`${runbook}.md`, RUNBOOKS), 'utf8');
    return [...text.matchAll(/^ *```sh needs-cluster( helm[34])?\n([^]*?)^ *```$/gm)]
      .filter(([, only]) => only === undefined || only.trim() === helm)
      .map(([, , block = '']) => block.replaceAll(/ --repo \S+/g, '').replaceAll(/( logs .*) \| grep .*/g, '$1'));
  }

  async function follow(block: string): Promise<void> {
    const pod = "$(kubectl -n survey get pods -o go-template='{{(index .items 0).metadata.name}}')";
    const words = { NODE: 'b2', POD: pod, 'certificate NAME': 'certificate survey-export', '"NEW"': '"p12345678"' };
    const filled = Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, () => value), block);
    const script = `cd ${folder}\n${filled}`;
    const env = {
      KUBECONFIG: cluster.kubeconfig,
      REAL_KUBECTL: cluster.kubectl,
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    };
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
    onDay(0, `install.md with ${helm}: namespaces, authority, secrets, stores and the release; stores are trusted by survey-ca`);
  });

  test.each(isSlice ? FIRST : [...FIRST, ...others, ...LAST])('%s works as written', async (runbook) => {
    const blocks = await blocksOf(runbook);
    expect(blocks.length).toBeGreaterThan(0);
    // Only a job that fails leaves its pods.
    const fails = ['--set', 'image.tag=fail,migrations.backoffLimit=0'];
    if (runbook === 'PrepareJobFailed') await deploy({ helm, namespace: 'survey', values: 'profiles/ha.yaml' }, ...fails);
    for (const block of blocks) await follow(block);
    const played = PLAYED[runbook];
    if (played !== undefined) onDay(played[0], `${runbook}.md with ${helm}: ${played[1]}`);
  });

  test('install-managed creates namespaces, secrets, NATS and the release, with its own host names', async () => {
    await kubectl(['delete', 'namespace', ...NAMESPACES, '--timeout=120s']);
    await writeFile(join(folder, 'provider.pem'), 'of the provider\n');
    for (const block of await blocksOf('install-managed')) {
      const [before = '', after] = block.split(/^(?=kubectl -n nats get secret nats-tls)/m);
      await follow(before);
      await apply([secret('nats', 'nats-tls')]);
      if (after !== undefined) await follow(after);
    }
    expect(await kubectl(['-n', 'survey', 'get', 'configmap', 'survey-ca', '-o', 'go-template={{index .data "ca.crt"}}'])).toBe(
      'nats-tls\nof the provider\n',
    );
    const page = await readFile(new URL('install-managed.md', RUNBOOKS), 'utf8');
    const release = (await blocksOf('install')).find((block) => block.includes('profiles/ha.yaml')) ?? '';
    const hosts = { postgres: { host: 'db.example.com' }, redis: { host: 'redis.example.com', port: 6378 } };
    for (const name of ['postgres.host', 'redis.host', 'redis.port']) expect(page).toContain(`\`${name}\``);
    await writeFile(join(folder, 'my-values.yaml'), stringify({ ...VALUES, ...hosts }));
    await follow(release.replaceAll('profiles/ha.yaml', 'profiles/managed.yaml'));
    await writeFile(join(folder, 'my-values.yaml'), stringify(VALUES));
  });

  test.skipIf(isSlice)('restore and lose-redis work as written when the stores are bundled', async () => {
    await kubectl(['delete', 'namespace', 'survey', '--timeout=120s']);
    await kubectl(['create', 'namespace', 'survey']);
    await createVolumes(4);
    expect(await deploy({ helm, namespace: 'survey', values: 'profiles/small.yaml' })).toMatchObject({ code: 0 });
    for (const runbook of BUNDLED) for (const block of await blocksOf(runbook)) await follow(block);
  });
});
