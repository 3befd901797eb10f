import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  serviceEnvironments,
  SERVICES,
  type Listen,
  type ServiceName,
  type StackConfig,
} from '@survey/local/service-environments.ts';
import { freePorts } from '@survey/local/ports.ts';
import type { Service } from '@survey/process/service.ts';
import { podOf, type Manifest } from '../chart/manifest.ts';
import { render } from '../chart/render.ts';
import { configOf } from '../chart/rendered.ts';
import type { MoreSettings, Services } from '../support/stack.ts';
import { identityArguments } from './container-arguments.ts';
import { docker, logsOf } from './docker.ts';

const READY_MS = 120_000;

/**
 * The services of a stack from the image, as the small profile runs them: user, read-only root, memory, settings. Where things are is said anew, because stores and
 * tests are processes of this machine, whose network the containers share.
 */
export async function startInImage(
  resources: AsyncDisposableStack,
  more: MoreSettings,
  around: Omit<StackConfig, 'listen'> & { readonly image: string; readonly mailDir: string },
): Promise<Services> {
  const manifests = await render({ values: ['profiles/small.yaml'] });
  const listen = await freeAddresses();
  const environments = serviceEnvironments({ ...around, listen });
  const start = async (name: ServiceName): Promise<readonly [ServiceName, Service]> => {
    const workload = workloadOf(manifests, name);
    const environment = { ...configOf(workload, { manifests }), ...environments[name], ...more[name] };
    const args = ['--network', 'host', ...identityArguments(workload), '--tmpfs', '/tmp:mode=1777'];
    const told = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const id = await docker(
      'run',
      '--detach',
      ...args,
      '--volume',
      `${around.mailDir}:${around.mailDir}`,
      ...told,
      around.image,
      name,
    );
    resources.defer(async () => void (await docker('rm', '--force', '--volumes', id)));
    await untilReady(id, listen[name].probe);
    const stop = async (): Promise<void> => void (await docker('stop', id));
    return [
      name,
      { address: listen[name].serve, probeAddress: listen[name].probe, drain: () => {}, [Symbol.asyncDispose]: stop },
    ];
  };
  return Object.fromEntries(await Promise.all(SERVICES.map(start))) as unknown as Services;
}

// Two free ports for each: below those that kernels give to connections, which would take some before their containers listen.
async function freeAddresses(): Promise<Record<ServiceName, Listen>> {
  const first = randomInt(15_000, 30_000);
  const ports = await freePorts(SERVICES.flatMap((_, place) => [first + 2 * place, first + 2 * place + 1]));
  const at = (place: number): string => `127.0.0.1:${ports[place]}`;
  const entries = SERVICES.map((name, place) => [name, { serve: at(2 * place), probe: at(2 * place + 1) }]);
  // One entry for each of SERVICES, which is what ServiceName lists.
  return Object.fromEntries(entries) as Record<ServiceName, Listen>;
}

function workloadOf(manifests: readonly Manifest[], name: string): Manifest {
  const found = manifests.find((one) => one.kind === 'Deployment' && podOf(one)?.spec.containers?.[0]?.name === name);
  if (found === undefined) throw new Error(`the chart renders no ${name}`);
  return found;
}

async function untilReady(id: string, probe: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const isReady = await fetch(`http://${probe}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    if (Date.now() > deadline) throw new Error(`not ready:\n${await logsOf(id)}`);
    await sleep(50);
  }
}
