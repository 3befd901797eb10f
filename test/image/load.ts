import { setTimeout as sleep } from 'node:timers/promises';
import type { Release, RunningPod } from './release.ts';

interface LoadOutcome {
  readonly succeeded: number;
  // Responses other than 200 and connection errors.
  readonly failures: readonly string[];
}

const CLIENTS = 4;
const POLL_INTERVAL_MS = 250;
const GATEWAY_PORT = 8080;
const PROBE_PORT = 9090;

/** Runs `work` while clients read through all ready gateways, as through a Kubernetes Service. */
export async function underLoad(release: Release, key: string, work: () => Promise<void>): Promise<LoadOutcome> {
  const failures: string[] = [];
  let succeeded = 0;
  let isOver = false;
  let ready = await readyGateways(release);
  const poll = async (): Promise<void> => {
    while (!isOver) {
      ready = await readyGateways(release);
      await sleep(POLL_INTERVAL_MS);
    }
  };
  const client = async (index: number): Promise<void> => {
    for (let request = index; !isOver; request += 1) {
      const address = ready[request % ready.length];
      const failure = address === undefined ? 'no gateway is ready' : await read(address, key);
      if (failure === undefined) succeeded += 1;
      else failures.push(failure);
      await sleep(address === undefined ? POLL_INTERVAL_MS : 5);
    }
  };
  const running = Promise.all([poll(), ...Array.from({ length: CLIENTS }, (_, index) => client(index))]);
  try {
    await work();
  } finally {
    isOver = true;
    await running;
  }
  return { succeeded, failures };
}

async function readyGateways({ pods }: Release): Promise<string[]> {
  const gateways = pods.filter(({ component }) => component === 'gateway');
  const addresses = await Promise.all(gateways.map(addressIfReady));
  return addresses.filter((address) => address !== undefined);
}

async function addressIfReady(pod: RunningPod): Promise<string | undefined> {
  try {
    const { ok } = await fetch(`http://${await pod.at(PROBE_PORT)}/readyz`, { signal: AbortSignal.timeout(2_000) });
    return ok ? await pod.at(GATEWAY_PORT) : undefined;
  } catch {
    return undefined;
  }
}

async function read(address: string, key: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${address}/v1/employees?limit=5`, { headers: { 'X-Api-Key': key } });
    const body = await response.text();
    return response.status === 200 ? undefined : `${response.status} ${body.slice(0, 200)}`;
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return `${error instanceof Error ? error.message : 'failed'}: ${cause instanceof Error ? cause.message : ''}`;
  }
}
