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
    test.each(PROJECTS)('fails and names the project when values need %s', async (_, values, name) => {
      const namespace = await createNamespace();
      const { code, stderr } = await deploy({ helm, namespace, values });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(name) });
      expect(await replicasIn(namespace)).toEqual({});
    });
  });
});
