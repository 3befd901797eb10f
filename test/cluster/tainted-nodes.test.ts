import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDefinitions, createNamespace, createVolumes, deploy, isSimulated, kubectl, podsIn, runHelm } from './cluster.ts';

const TAINT = 'survey-tests/dedicated';
const TOLERATED = [
  '--set',
  `defaults.tolerations[0].key=${TAINT},defaults.tolerations[0].operator=Exists`,
  '--set-string',
  'defaults.podLabels.team=survey',
];

// Taints nodes, so only in a simulated cluster.
describe.skipIf(!isSimulated)('a cluster with only tainted nodes', () => {
  beforeAll(async () => {
    await createDefinitions();
    await kubectl(['taint', 'nodes', '--all', `${TAINT}=yes:NoSchedule`]);
  });
  afterAll(() => kubectl(['taint', 'nodes', '--all', `${TAINT}-`]));

  test.each(['profiles/small.yaml', 'profiles/ha.yaml'])(
    'runs all pods of %s when defaults.tolerations names the taint',
    async (values) => {
      const namespace = await createNamespace();
      await createVolumes();
      expect(await deploy({ helm: 'helm3', namespace, values }, ...TOLERATED)).toMatchObject({ code: 0 });
      expect(await runHelm('helm3', namespace, 'test', 'survey')).toMatchObject({ code: 0 });
      const running = await podsIn(namespace);
      expect(running.length).toBeGreaterThan(6);
      expect(running.filter(({ metadata }) => metadata.labels['team'] !== 'survey')).toEqual([]);
    },
  );

  test('runs the toolbox and a store on other nodes when they have their own tolerations', async () => {
    const namespace = await createNamespace();
    await createVolumes();
    const own = [
      'migrations',
      'opsTools',
      'bundled.postgres',
      'bundled.nats',
      'bundled.redis',
      ...['gateway', 'export', 'import-reconciler', 'scoring-anonymity', 'text-analysis', 'account-admin'].map(
        (name) => `components.${name}`,
      ),
    ].flatMap((place) => ['--set', `${place}.tolerations[0].key=${TAINT},${place}.tolerations[0].operator=Exists`]);
    expect(await deploy({ helm: 'helm3', namespace, values: 'profiles/small.yaml' }, ...own)).toMatchObject({ code: 0 });
  });
});
