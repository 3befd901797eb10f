import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { previousRelease } from '../failure/previous-release.ts';
import { runTool } from '../support/chart/run-tool.ts';
import { onDay } from '../support/year-log.ts';
import {
  apply,
  createDefinitions,
  createNamespace,
  createVolumes,
  deploy,
  HELMS,
  kubectl,
  podsIn,
  replicasIn,
  runHelm,
} from './cluster.ts';

const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' };
const EXTERNAL = 'ci/external-values.yaml';
// The simulated kubelet never marks a pod with this image tag as ready.
const NEVER_READY = ['--set', 'components.export.image.tag=never'];
const FAILS = ['--set', 'image.tag=fail', '--set', 'migrations.backoffLimit=0'];

const isReady = async (namespace: string): Promise<boolean> =>
  Object.values(await replicasIn(namespace)).every(({ wanted, ready }) => wanted === ready);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const release = await previousRelease();
const folder = await mkdtemp(join(tmpdir(), 'survey-former-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

// Unpacks the charts of the last release, which may consist of several.
async function unpackFormer(): Promise<void> {
  await runTool('sh', ['-c', `cd '${ROOT}' && git archive ${release?.hash} charts | tar -x -C '${folder}'`]);
  for (const chart of (await readdir(join(folder, 'charts'))).sort().reverse())
    await runTool(inject('tools').helm3 ?? '', ['dependency', 'build', join(folder, 'charts', chart), '--skip-refresh']);
}

describe.each(HELMS)('a release by %s', (helm) => {
  beforeAll(createDefinitions);

  test.skipIf(release === undefined)('of the last version is upgraded and rolled back', async ({ expect }) => {
    await unpackFormer();
    const namespace = await createNamespace();
    const former = join(folder, 'charts/survey');
    const force = helm === 'helm4' ? ['--force-conflicts'] : [];
    const install = ['install', 'survey', former, '--values', join(former, EXTERNAL), '--wait', '--timeout', '120s'];
    expect(await runHelm(helm, namespace, ...install)).toMatchObject({ code: 0 });
    expect(await deploy({ helm, namespace, values: EXTERNAL }, ...force)).toMatchObject({ code: 0 });
    expect(await runHelm(helm, namespace, 'rollback', 'survey', '--wait', ...force)).toMatchObject({ code: 0 });
    await expect.poll(() => isReady(namespace), { timeout: 60_000 }).toBe(true);
    onDay(180, `the chart of the last release is upgraded by ${helm}, and rolled back`);
  });

  test.concurrent('keeps the previous pods when the prepare job fails', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace({}, onTestFinished);
    const release = { helm, namespace, values: EXTERNAL };
    expect(await deploy(release)).toMatchObject({ code: 0 });
    const before = (await podsIn(namespace)).map(({ metadata }) => metadata.name).sort();
    expect((await deploy(release, ...FAILS, '--timeout', '20s')).code).not.toBe(0);
    expect(
      (await podsIn(namespace))
        .map(({ metadata }) => metadata.name)
        .filter((name) => !name.includes('prepare'))
        .sort(),
    ).toEqual(before);
  });

  test.concurrent('rolls back automatically when a new version never becomes ready', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace({}, onTestFinished);
    const release = { helm, namespace, values: EXTERNAL };
    expect(await deploy(release)).toMatchObject({ code: 0 });
    const back = helm === 'helm3' ? ['--atomic'] : ['--rollback-on-failure', '--force-conflicts'];
    expect((await deploy(release, ...NEVER_READY, ...back, '--timeout', '20s')).code).not.toBe(0);
    await expect.poll(() => isReady(namespace)).toBe(true);
    expect(await kubectl(['-n', namespace, 'get', 'deployments', '-o', 'yaml'])).not.toContain('survey:never');
  });

  test.concurrent('installs two releases in a namespace with a quota and a LimitRange', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace(RESTRICTED, onTestFinished);
    await apply([
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'all', namespace },
        spec: { hard: { 'requests.cpu': '8', 'requests.memory': '16Gi', 'limits.memory': '16Gi', pods: '60' } },
      },
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'all', namespace },
        spec: { limits: [{ type: 'Container', max: { memory: '4Gi' }, default: { cpu: '1' } }] },
      },
    ]);
    for (const name of ['first', 'second'])
      expect(await deploy({ helm, namespace, values: EXTERNAL, name })).toMatchObject({ code: 0 });
    expect(Object.keys(await replicasIn(namespace))).toHaveLength(12);
    expect(await isReady(namespace)).toBe(true);
    onDay(270, `a quota, a LimitRange and Pod Security "restricted" are enforced: two releases of ${helm} fit into a namespace`);
  });

  test.concurrent('rejects a larger volume for a store until the claim is resized', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace({}, onTestFinished);
    await createVolumes(8);
    const release = { helm, namespace, values: 'profiles/small.yaml' };
    expect(await deploy(release)).toMatchObject({ code: 0 });
    const grown = ['--set', 'bundled.postgres.storage.size=9Gi'];
    const { code, stderr } = await deploy(release, ...grown);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('bundled.postgres.storage.size is 9Gi') });
    expect(stderr).toContain('--cascade=orphan');
    await kubectl(['-n', namespace, 'delete', 'statefulset', 'survey-postgres', '--cascade=orphan']);
    expect(await deploy(release, ...grown)).toMatchObject({ code: 0 });
  });

  test.concurrent('upgrades after a manual edit with the command of the runbook', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace({}, onTestFinished);
    const release = { helm, namespace, values: EXTERNAL };
    expect(await deploy(release)).toMatchObject({ code: 0 });
    await kubectl(['-n', namespace, 'scale', 'deployment/survey-export', '--replicas=3']);
    const changed = ['--set', 'components.export.replicas=2'];
    // Helm 4 does not change a field that another client has set.
    const plain = await deploy(release, ...changed);
    expect([plain.code, plain.stderr.includes('conflict')]).toEqual(helm === 'helm4' ? [1, true] : [0, false]);
    expect(await deploy(release, ...changed, ...(helm === 'helm4' ? ['--force-conflicts'] : []))).toMatchObject({ code: 0 });
    expect((await replicasIn(namespace))['survey-export']).toEqual({ wanted: 2, ready: 2 });
  });
});
