import { beforeAll, describe, test } from 'vitest';
import { combinations } from '../support/chart/render.ts';
import {
  createDefinitions,
  createNamespace,
  createVolumes,
  deploy,
  HELMS,
  isSlice,
  replicasIn,
  runHelm,
  tryKubectl,
  type Helm,
} from './cluster.ts';

const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' };
/** Combinations that cover most templates. Other tests of a slice rarely use Helm 3. */
const SLICE: [Helm, string][] = [
  ['helm3', 'profiles/small.yaml'],
  ['helm4', 'profiles/ha.yaml'],
  ['helm3', 'ci/extensions-values.yaml'],
];
const every = async (): Promise<[Helm, string][]> =>
  (await combinations()).flatMap((values) => HELMS.map((helm): [Helm, string] => [helm, values]));
const chosen = isSlice ? SLICE : await every();

const isReady = async (namespace: string): Promise<boolean> =>
  Object.values(await replicasIn(namespace)).every(({ wanted, ready }) => wanted === ready);

const ODD_NAMES = ['eu.survey.1', 'a', `${'x'.repeat(52)}y`, `${'x.'.repeat(26)}y`];

describe('a release', () => {
  beforeAll(createDefinitions);

  test.concurrent.for(ODD_NAMES.flatMap((name) => HELMS.map((helm) => [name, helm] as const)))(
    'named %s is accepted by the API server, which %s asks',
    async ([name, helm], { expect, onTestFinished }) => {
      const namespace = await createNamespace(RESTRICTED, onTestFinished);
      for (const values of ['profiles/small.yaml', 'profiles/ha.yaml']) {
        const { code, stderr } = await deploy({ helm, namespace, values, name }, '--dry-run=server');
        expect({ values, code, stderr: code === 0 ? '' : stderr.slice(-2_000) }).toEqual({ values, code: 0, stderr: '' });
      }
    },
  );

  // Concurrency is limited in vitest.config.ts to what a small machine can run.
  test.concurrent.for(chosen)(
    'is installed, upgraded, rolled back, uninstalled and reinstalled by %s with %s under restricted Pod Security',
    async ([helm, values], { expect, onTestFinished }) => {
      const namespace = await createNamespace(RESTRICTED, onTestFinished);
      await createVolumes(8);
      if (values.includes('ci/bundled-values')) await createVolumes(2, 'fast');
      await givePriority(values);
      const release = { helm, namespace, values };
      const force = helm === 'helm4' ? ['--force-conflicts'] : [];
      const run = async (name: string, outcome: Promise<{ code: number; stderr: string }>): Promise<void> => {
        const { code, stderr } = await outcome;
        expect({ name, code, stderr: code === 0 ? '' : stderr.slice(-2_000) }).toEqual({ name, code: 0, stderr: '' });
      };
      await run('dry run', deploy(release, '--dry-run=server'));
      await run('install', deploy(release));
      await run('upgrade', deploy(release, '--set', 'logLevel=debug', ...force));
      await run('rollback', runHelm(helm, namespace, 'rollback', 'survey', '--wait', ...force));
      // Helm 3 returns while pods of the version before still stop.
      await expect.poll(() => isReady(namespace), { timeout: 60_000 }).toBe(true);
      await run('test', runHelm(helm, namespace, 'test', 'survey'));
      await run('uninstall', runHelm(helm, namespace, 'uninstall', 'survey', '--wait'));
      await run('install again', deploy(release));
    },
  );
});

// Creates the PriorityClass and the node labels that one combination refers to.
async function givePriority(values: string): Promise<void> {
  if (!values.includes('supply-chain')) return;
  await tryKubectl(['create', 'priorityclass', 'important', '--value=1000']);
  await tryKubectl(['label', 'nodes', '--all', 'disk=ssd', 'arch=amd64', '--overwrite']);
}
