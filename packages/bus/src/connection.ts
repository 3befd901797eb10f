import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { readBusUrl } from './bus-url.ts';

const RETRY_MS = 500;

/** The bus as a service holds it: nobody waits for it. A service starts and serves while it is away, and uses it when it is there. */
export interface BusConnection {
  // Undefined while the bus is away. The client reconnects by itself, for ever.
  current(): NatsConnection | undefined;
  // Calls back as soon as there is a connection.
  whenConnected(use: (bus: NatsConnection) => Promise<void>): void;
}

export function openBus(url: string, name: string, tools: ServiceTools): BusConnection {
  let bus: NatsConnection | undefined;
  let isAway = false;
  const connected: Gauge = new Gauge({
    name: 'bus_connected',
    help: '1 while there is a connection to the bus',
    registers: [tools.metrics],
    collect: () => connected.set(bus === undefined || isAway ? 0 : 1),
  });
  const closing = new AbortController();
  const connecting = firstConnection(url, name, closing.signal).then(async (connection) => {
    bus = connection;
    if (connection !== undefined && closing.signal.aborted) await connection.close();
    else if (connection !== undefined) void followStatus(connection, tools, (away) => (isAway = away));
    return connection;
  });
  tools.resources.defer(async () => {
    closing.abort();
    if (bus !== undefined && !bus.isClosed()) await bus.close();
  });
  const failed = (error: unknown): void => {
    if (!closing.signal.aborted) tools.log.error({ err: error }, 'bus subscription failed');
  };
  const whenConnected = async (use: (bus: NatsConnection) => Promise<void>): Promise<void> => {
    const connection = await connecting;
    if (connection !== undefined && !closing.signal.aborted) await use(connection);
  };
  return { current: () => (isAway ? undefined : bus), whenConnected: (use) => void whenConnected(use).catch(failed) };
}

// Our own loop instead of the client's waitOnFirstConnect: that one cannot be stopped, and a process that stops would wait for the bus.
async function firstConnection(url: string, name: string, closing: AbortSignal): Promise<NatsConnection | undefined> {
  while (!closing.aborted) {
    try {
      return await connectOnce(url, name);
    } catch {
      // Whoever needs the bus says so by readiness or by metrics; here it is normal.
      await sleep(RETRY_MS, undefined, { signal: closing }).catch(() => undefined);
    }
  }
  return undefined;
}

function connectOnce(url: string, name: string): Promise<NatsConnection> {
  return connect({
    ...readBusUrl(url),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    // The default of 2 min leaves a frozen server unnoticed for four.
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
  });
}

async function followStatus(bus: NatsConnection, tools: ServiceTools, setAway: (isAway: boolean) => void): Promise<void> {
  for await (const { type } of bus.status()) {
    if (type !== 'disconnect' && type !== 'reconnect') continue;
    setAway(type === 'disconnect');
    if (type === 'disconnect') tools.log.warn('bus disconnected');
    else tools.log.info('bus reconnected');
  }
}
