import { serviceEnvironments, SERVICES, type ServiceName, type StackConfig } from './service-environments.ts';
import { startService, waitUntilReady, type ServiceProcess } from './service-process.ts';
import type { Colour, Source } from './log-line.ts';
import type { Progress } from './store.ts';

const COLOUR: Readonly<Record<ServiceName, Colour>> = {
  gateway: 'cyan',
  export: 'green',
  'import-reconciler': 'magenta',
  'scoring-anonymity': 'yellow',
  'text-analysis': 'blue',
  'account-admin': 'gray',
};

/**
 * Starts all six services, each in a process of its own, and passes on
 * their log lines.
 */
export function startServices(config: StackConfig, onLine: (source: Source, line: string) => void): ServiceProcess[] {
  const environments = serviceEnvironments(config);
  return SERVICES.map((name) =>
    startService({
      name,
      environment: environments[name],
      onLine: (line) => onLine({ name, colour: COLOUR[name] }, line),
    }),
  );
}

/** Waits until every service is ready. */
export async function untilAllReady(services: readonly ServiceProcess[], { listen }: StackConfig, log: Progress): Promise<void> {
  const waiting = new Set(services.map(({ name }) => name));
  const progress = setInterval(() => log(`waiting for ${[...waiting].join(', ')}`), 3_000);
  try {
    await Promise.all(
      services.map(async ({ name }) => {
        await waitUntilReady(name, listen[name].probe);
        waiting.delete(name);
      }),
    );
  } finally {
    clearInterval(progress);
  }
}

/** Throws when a service ends unexpectedly; the message includes its last lines of output. */
export async function untilServiceEnds(services: readonly ServiceProcess[]): Promise<never> {
  const first = await Promise.race(services.map(async (service) => ({ ...service, code: await service.ended })));
  const lines = first.lastLines().map((line) => `    ${line}`);
  throw new Error(`${first.name} exited unexpectedly with code ${first.code}; last log lines:\n${lines.join('\n')}`);
}

/** Drains the gateway first, so that its in-flight requests still reach the other services. */
export async function stopServices(services: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(services.filter(({ name }) => name === 'gateway').map((service) => service.stop()));
  await Promise.all(services.map((service) => service.stop()));
}
