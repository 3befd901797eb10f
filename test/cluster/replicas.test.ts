import { beforeAll, describe, expect, test } from 'vitest';
import {
  cluster,
  createDefinitions,
  createNamespace,
  deploy,
  HELMS,
  kubectl,
  replicasIn,
  runHelm,
  type Helm,
} from './cluster.ts';

const VALUES = 'ci/external-values.yaml';
const HPA = [
  '--set',
  'components.gateway.autoscaling.type=hpa,components.gateway.autoscaling.minReplicas=2,components.gateway.autoscaling.maxReplicas=6',
];
const gatewayIn = async (namespace: string): Promise<number> => (await replicasIn(namespace))['survey-gateway']?.wanted ?? 0;

// Every number that a Deployment is told to have while an action runs.
async function lowestDuring(namespace: string, action: () => Promise<unknown>): Promise<number> {
  const seen = [await gatewayIn(namespace)];
  let isOver = false;
  const watched = (async () => {
    while (!isOver) seen.push(await gatewayIn(namespace));
  })();
  await action();
  isOver = true;
  await watched;
  return Math.min(...seen);
}

describe.skipIf(cluster === undefined).each(HELMS)('the number of pods by %s', (helm: Helm) => {
  beforeAll(createDefinitions);

  test('is the fewest of the autoscaler when it is installed and --wait returns', async () => {
    const namespace = await createNamespace();
    expect(await deploy({ helm, namespace, values: VALUES }, ...HPA)).toMatchObject({ code: 0 });
    expect((await replicasIn(namespace))['survey-gateway']).toEqual({ wanted: 2, ready: 2 });
  });

  test.each([
    [4, 4],
    [1, 1],
  ])('never falls when %i static pods become those of an autoscaler', async (before, lowest) => {
    const namespace = await createNamespace();
    const isStatic = ['--set', `components.gateway.replicas=${before}`];
    expect(await deploy({ helm, namespace, values: VALUES }, ...isStatic)).toMatchObject({ code: 0 });
    expect(await lowestDuring(namespace, () => deploy({ helm, namespace, values: VALUES }, ...HPA))).toBe(lowest);
    expect(await gatewayIn(namespace)).toBe(Math.max(before, 2));
  });

  test('is what the autoscaler made of it after an upgrade', async () => {
    const namespace = await createNamespace();
    await deploy({ helm, namespace, values: VALUES }, ...HPA);
    // Scales as the autoscaler does. It would scale back after five calm minutes.
    await kubectl(['-n', namespace, 'scale', 'deployment/survey-gateway', '--replicas=5']);
    const upgrade = (): Promise<unknown> => deploy({ helm, namespace, values: VALUES }, ...HPA, '--set', 'logLevel=debug');
    expect(await lowestDuring(namespace, upgrade)).toBe(5);
  });

  test('is that of the values when static pods were scaled by hand before an upgrade', async () => {
    const namespace = await createNamespace();
    await deploy({ helm, namespace, values: VALUES }, '--set', 'components.gateway.replicas=2');
    await kubectl(['-n', namespace, 'scale', 'deployment/survey-gateway', '--replicas=5']);
    // Helm 4 applies on the server, which refuses to overwrite what another client set: docs/runbooks/upgrade.md.
    const force = helm === 'helm4' ? ['--force-conflicts'] : [];
    const changed = ['--set', 'components.gateway.replicas=3,logLevel=debug'];
    expect(await deploy({ helm, namespace, values: VALUES }, ...changed, ...force)).toMatchObject({ code: 0 });
    expect(await gatewayIn(namespace)).toBe(3);
    expect(await runHelm(helm, namespace, 'rollback', 'survey', '1', '--wait', ...force)).toMatchObject({ code: 0 });
    expect(await gatewayIn(namespace)).toBe(2);
  });
});
