import { reservePort } from '@survey/local/ports.ts';
import { forEachService, SERVICES, type Listen, type ServiceName } from '@survey/local/service-environments.ts';

/** Reserves two ports of 127.0.0.1 for each service. */
export async function reserveListenAddresses(): Promise<Record<ServiceName, Listen>> {
  const ports = (await Promise.all(Array.from({ length: 2 * SERVICES.length }, reservePort))).values();
  const address = (): string => `127.0.0.1:${ports.next().value}`;
  return forEachService(() => ({ serve: address(), probe: address() }));
}
