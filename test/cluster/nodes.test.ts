import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { onDay } from '../support/year-log.ts';
import { createDefinitions, createNamespace, deploy, isSimulated, kubectl, podsIn, replicasIn, tryKubectl } from './cluster.ts';

const NODES = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2'];
// Evicts immediately and ignores disruption budgets, as the node controller does 300 s after a node
// stopped responding.
const LOST = 'survey-tests/lost';
// As many pods as nodes, so that no node is free for the pod of a drained node.
const ON_EVERY_NODE = [
  '--set',
  `components.gateway.autoscaling.minReplicas=${NODES.length},components.account-admin.replicas=${NODES.length},postgres.maxConnections=4000`,
];

const everyPodReady = async (namespace: string): Promise<boolean> =>
  Object.values(await replicasIn(namespace)).every(({ wanted, ready }) => wanted === ready);

// Drains nodes, so only in a simulated cluster.
describe.skipIf(!isSimulated)('a release', () => {
  beforeAll(createDefinitions);
  // Also after a failed test.
  afterEach(async () => {
    await kubectl(['uncordon', ...NODES]);
    await tryKubectl(['taint', 'nodes', ...NODES, `${LOST}-`]);
  });

  test.each(['profiles/ha.yaml', 'profiles/large-account.yaml'])(
    'with %s runs all pods again before a drained node returns, for each node in turn',
    async (values) => {
      const namespace = await createNamespace();
      expect(await deploy({ helm: 'helm3', namespace, values }, ...ON_EVERY_NODE)).toMatchObject({ code: 0 });
      for (const node of NODES) {
        const drained = await tryKubectl(['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=60s']);
        expect({ node, ...drained }).toMatchObject({ code: 0 });
        await expect.poll(() => everyPodReady(namespace)).toBe(true);
        await kubectl(['uncordon', node]);
      }
      onDay(100, `${values}: nodes ${NODES.join(', ')} are drained in turn; all pods run again before each returns`);
    },
  );

  test('with profiles/ha.yaml runs all pods on other nodes when a node or a zone is lost', async () => {
    const namespace = await createNamespace();
    expect(await deploy({ helm: 'helm3', namespace, values: 'profiles/ha.yaml' }, ...ON_EVERY_NODE)).toMatchObject({ code: 0 });
    for (const lost of [['b1'], ['a1', 'a2']]) {
      await kubectl(['taint', 'nodes', ...lost, `${LOST}:NoExecute`]);
      const isRelocated = async (): Promise<boolean> =>
        (await podsIn(namespace)).every(({ spec }) => !lost.includes(spec.nodeName ?? '')) && (await everyPodReady(namespace));
      await expect.poll(isRelocated).toBe(true);
      await kubectl(['taint', 'nodes', ...lost, `${LOST}-`]);
      onDay(
        250,
        `${lost.length > 1 ? 'zone of' : 'node'} ${lost.join(' and ')} is lost: all pods of profiles/ha.yaml run elsewhere`,
      );
    }
  });
});
