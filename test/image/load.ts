import { setTimeout as sleep } from 'node:timers/promises';
import type { Release, RunningPod } from './release.ts';

export interface LoadOutcome {
  readonly answered: number;
  // What was answered otherwise than with 200, or not at all.
  readonly failures: readonly string[];
}

const CLIENTS = 4;
const LOOK_INTERVAL_MS = 250;
const GATEWAY_PORT = 8080;
const PROBE_PORT = 9090;

/** Does `work` while clients read through the gateways that are ready, as a Service would let them. */
export async function underLoad(release: Release, key: string, work: () => Promise<void>): Promise<LoadOutcome> {
  const failures: string[] = [];
  let answered = 0;
  let over = false;
  let ready = await readyGateways(release);
  const look = async (): Promise<void> => {
    while (!over) {
      ready = await readyGateways(release);
      await sleep(LOOK_INTERVAL_MS);
    }
  };
  const client = async (place: number): Promise<void> => {
    for (let request = place; !over; request += 1) {
      const address = ready[request % ready.length];
      const failure = address === undefined ? 'no gateway is ready' : await read(address, key);
      if (failure === undefined) answered += 1;
      else failures.push(failure);
      await sleep(address === undefined ? LOOK_INTERVAL_MS : 5);
    }
  };
  const running = Promise.all([look(), ...Array.from({ length: CLIENTS }, (_, place) => client(place))]);
  try {
    await work();
  } finally {
    over = true;
    await running;
  }
  return { answered, failures };
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
