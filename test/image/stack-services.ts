import { setTimeout as sleep } from 'node:timers/promises';
import { serviceEnvironments, SERVICES, type ServiceName, type StackConfig } from '@survey/local/service-environments.ts';
import type { Service } from '@survey/process/service.ts';
import { podOf, type Manifest } from '../support/chart/manifest.ts';
import { render } from '../support/chart/render.ts';
import { configOf } from '../support/chart/rendered.ts';
import { reserveListenAddresses } from '../support/listen-addresses.ts';
import type { MoreSettings, Services } from '../support/stack.ts';
import { identityArguments } from './container-arguments.ts';
import { docker, logsOf } from './docker.ts';

const READY_MS = 120_000;

/**
 * Starts the services of a stack from the image with the user, read-only root, memory and settings
 * of the small profile. Addresses differ, because stores and tests are processes of this machine,
 * whose network the containers share.
 */
export async function startInImage(
  resources: AsyncDisposableStack,
  more: MoreSettings,
  stack: Omit<StackConfig, 'listen'> & { readonly image: string; readonly mailDir: string },
): Promise<Services> {
  const manifests = await render({ values: ['profiles/small.yaml'] });
  const listen = await reserveListenAddresses();
  const environments = serviceEnvironments({ ...stack, listen });
  const start = async (name: ServiceName): Promise<readonly [ServiceName, Service]> => {
    const workload = workloadOf(manifests, name);
    const environment = { ...configOf(workload, { manifests }), ...environments[name], ...more[name] };
    const args = ['--network', 'host', ...identityArguments(workload), '--tmpfs', '/tmp:mode=1777'];
    const variables = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const id = await docker(
      'run',
      '--detach',
      ...args,
      '--volume',
      `${stack.mailDir}:${stack.mailDir}`,
      ...variables,
      stack.image,
      name,
    );
    resources.defer(async () => void (await docker('rm', '--force', '--volumes', id)));
    await waitUntilReady(id, listen[name].probe);
    const stop = async (): Promise<void> => void (await docker('stop', id));
    return [
      name,
      { address: listen[name].serve, probeAddress: listen[name].probe, drain: () => {}, [Symbol.asyncDispose]: stop },
    ];
  };
  return Object.fromEntries(await Promise.all(SERVICES.map(start))) as unknown as Services;
}

function workloadOf(manifests: readonly Manifest[], name: string): Manifest {
  const found = manifests.find((one) => one.kind === 'Deployment' && podOf(one)?.spec.containers?.[0]?.name === name);
  if (found === undefined) throw new Error(`cannot start ${name}: the chart renders no such Deployment`);
  return found;
}

async function waitUntilReady(id: string, probe: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const isReady = await fetch(`http://${probe}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (Date.now() > deadline) throw new Error(`cannot start a service: not ready in time:\n${await logsOf(id)}`);
    await sleep(50);
  }
}
