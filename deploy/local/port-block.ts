import { reservePort, tryToReservePort } from './ports.ts';

/**
 * What listens, in the order of the ports: the public API has the port of `--port`, each of the
 * others the next one. start.txt lists them for users.
 */
export const LISTENERS = [
  'gateway',
  'console',
  'identity provider',
  'PostgreSQL',
  'NATS',
  'Redis',
  'export',
  'import-reconciler',
  'scoring-anonymity',
  'text-analysis',
  'account-admin',
  'gateway metrics',
  'export metrics',
  'import-reconciler metrics',
  'scoring-anonymity metrics',
  'text-analysis metrics',
  'account-admin metrics',
  'console metrics',
] as const;
export type Listener = (typeof LISTENERS)[number];
export type PortOf = (listener: Listener) => number;

export const DEFAULT_PORT = 8_080;
export const LAST_BLOCK = 65_536 - LISTENERS.length;

/**
 * Reserves the ports from `first` on, without those of servers that run elsewhere.
 * @throws when one is in use
 */
export async function reserveBlock(first: number, elsewhere: ReadonlySet<Listener>): Promise<PortOf> {
  const portOf: PortOf = (listener) => first + LISTENERS.indexOf(listener);
  const needed = LISTENERS.filter((listener) => !elsewhere.has(listener));
  const taken = await Promise.all(
    needed.map(async (listener) => ((await tryToReservePort(portOf(listener))) ? [] : [`${portOf(listener)} (${listener})`])),
  );
  if (taken.flat().length === 0) return portOf;
  throw new Error(
    `cannot use the ports ${first} to ${first + LISTENERS.length - 1}, because others use ${taken.flat().join(', ')}: ` +
      `stop them, or name the first of ${LISTENERS.length} free ports with npm start -- --port`,
  );
}

/** Reserves one port per listener, anywhere, for a stack of a test. */
export async function reserveAnyPorts(): Promise<PortOf> {
  const ports = await Promise.all(LISTENERS.map(() => reservePort()));
  return (listener) => ports[LISTENERS.indexOf(listener)] ?? 0;
}
