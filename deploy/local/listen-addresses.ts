import { forEachService, SERVICES, type Listen, type ServiceName } from './service-environments.ts';
import { freePorts } from './ports.ts';

interface Ports {
  readonly serve: number;
  readonly probe: number;
}

// Customary ports; a free port is used instead when one is taken.
export const DEFAULT_PORTS: Readonly<Record<ServiceName, Ports>> = {
  gateway: { serve: 8080, probe: 9090 },
  export: { serve: 50_051, probe: 9091 },
  'import-reconciler': { serve: 50_052, probe: 9092 },
  'scoring-anonymity': { serve: 50_053, probe: 9093 },
  'text-analysis': { serve: 50_054, probe: 9094 },
  'account-admin': { serve: 50_055, probe: 9095 },
};

/** Returns two ports of 127.0.0.1 per service: the preferred ones if free, else any free port. */
export async function allocateListenAddresses(
  preferred: Partial<Record<ServiceName, Ports>> = {},
): Promise<Record<ServiceName, Listen>> {
  const ports = await freePorts(SERVICES.flatMap((name) => [preferred[name]?.serve ?? 0, preferred[name]?.probe ?? 0]));
  const at = (index: number): string => `127.0.0.1:${ports[index]}`;
  return forEachService((name) => {
    const index = SERVICES.indexOf(name) * 2;
    return { serve: at(index), probe: at(index + 1) };
  });
}
