import { once } from 'node:events';
import { beforeAll, describe, test } from 'vitest';
import {
  createDefinitions,
  createNamespace,
  deploy,
  HELMS,
  kubectl,
  replicasIn,
  runHelm,
  startKubectl,
  type Helm,
} from './cluster.ts';

const VALUES = 'ci/external-values.yaml';
const HPA = [
  '--set',
  'components.gateway.autoscaling.type=hpa,components.gateway.autoscaling.minReplicas=2,components.gateway.autoscaling.maxReplicas=6',
];
const gatewayIn = async (namespace: string): Promise<number> => (await replicasIn(namespace))['survey-gateway']?.wanted ?? 0;

// Returns the lowest wanted number of gateway pods while an action runs.
async function lowestDuring(namespace: string, action: () => Promise<unknown>): Promise<number> {
  const gateway = ['-n', namespace, 'get', 'deployment', 'survey-gateway', '-o', 'jsonpath={.spec.replicas}{"\\n"}'];
  const watch = startKubectl([...gateway, '--watch']);
  let seen = '';
  watch.stdout.setEncoding('utf8').on('data', (lines: string) => (seen += lines));
  await once(watch.stdout, 'data');
  await action();
  watch.kill();
  return Math.min(...seen.trim().split('\n').map(Number));
}

describe.each(HELMS)('the number of pods by %s', (helm: Helm) => {
  beforeAll(createDefinitions);

  test.concurrent('is the minimum of the autoscaler after an installation with --wait', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace({}, onTestFinished);
    expect(await deploy({ helm, namespace, values: VALUES }, ...HPA)).toMatchObject({ code: 0 });
    expect((await replicasIn(namespace))['survey-gateway']).toEqual({ wanted: 2, ready: 2 });
  });

  test.concurrent.for([4, 1])(
    'never decreases when an autoscaler replaces %i static pods',
    async (before, { expect, onTestFinished }) => {
      const namespace = await createNamespace({}, onTestFinished);
      const isStatic = ['--set', `components.gateway.replicas=${before}`];
      expect(await deploy({ helm, namespace, values: VALUES }, ...isStatic)).toMatchObject({ code: 0 });
      expect(await lowestDuring(namespace, () => deploy({ helm, namespace, values: VALUES }, ...HPA))).toBe(before);
      expect(await gatewayIn(namespace)).toBe(Math.max(before, 2));
    },
  );

  test.concurrent('is that of the autoscaler after an upgrade', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace({}, onTestFinished);
    await deploy({ helm, namespace, values: VALUES }, ...HPA);
    // Acts as the autoscaler, which scales down only after 5 minutes.
    await kubectl(['-n', namespace, 'scale', 'deployment/survey-gateway', '--replicas=5']);
    const upgrade = (): Promise<unknown> => deploy({ helm, namespace, values: VALUES }, ...HPA, '--set', 'logLevel=debug');
    expect(await lowestDuring(namespace, upgrade)).toBe(5);
  });

  test.concurrent('is that of the values after an upgrade of pods scaled by hand', async ({ expect, onTestFinished }) => {
    const namespace = await createNamespace({}, onTestFinished);
    await deploy({ helm, namespace, values: VALUES }, '--set', 'components.gateway.replicas=2');
    await kubectl(['-n', namespace, 'scale', 'deployment/survey-gateway', '--replicas=5']);
    // Helm 4 applies on the server, which refuses to overwrite a field that another client set
    // (docs/runbooks/upgrade.md).
    const force = helm === 'helm4' ? ['--force-conflicts'] : [];
    const changed = ['--set', 'components.gateway.replicas=3,logLevel=debug'];
    expect(await deploy({ helm, namespace, values: VALUES }, ...changed, ...force)).toMatchObject({ code: 0 });
    expect(await gatewayIn(namespace)).toBe(3);
    expect(await runHelm(helm, namespace, 'rollback', 'survey', '1', '--wait', ...force)).toMatchObject({ code: 0 });
    expect(await gatewayIn(namespace)).toBe(2);
  });
});
