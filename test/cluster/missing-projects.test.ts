import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDefinitions, createNamespace, deploy, HELMS, isSimulated, kubectl, replicasIn } from './cluster.ts';

/** Project, values file that requests its objects, and its name in messages. */
const PROJECTS = [
  ['certManager', 'ci/tls-given-values.yaml', 'cert-manager'],
  ['externalSecrets', 'ci/external-secrets-values.yaml', 'External Secrets Operator'],
  ['gatewayApi', 'ci/http-route-values.yaml', 'Gateway API'],
  ['keda', 'ci/keda-values.yaml', 'KEDA'],
  ['prometheus', 'ci/monitoring-values.yaml', 'Prometheus operator'],
] as const;

// Deletes definitions, so only in a simulated cluster.
describe.skipIf(!isSimulated)('an installation without the definitions of other projects', () => {
  beforeAll(() => kubectl(['delete', 'customresourcedefinitions', '-l', 'survey-tests=definition', '--ignore-not-found']));
  afterAll(createDefinitions);

  describe.each(HELMS)('%s', (helm) => {
    test.each(PROJECTS)(
      'fails and names the project and the value that allows its absence when values need %s',
      async (project, values, name) => {
        const namespace = await createNamespace();
        const { code, stderr } = await deploy({ helm, namespace, values });
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(name) });
        expect(stderr).toContain(`allowMissing.${project}=true`);
        expect(await replicasIn(namespace)).toEqual({});
      },
    );

    test('runs the minimum number of pods of the autoscaler when the absence of KEDA is allowed', async () => {
      const namespace = await createNamespace();
      const allowed = ['--set', 'allowMissing.keda=true,components.import-reconciler.autoscaling.minReplicas=3'];
      expect(await deploy({ helm, namespace, values: 'ci/keda-values.yaml' }, ...allowed)).toMatchObject({ code: 0 });
      expect((await replicasIn(namespace))['survey-import-reconciler']).toEqual({ wanted: 3, ready: 3 });
    });
  });
});
