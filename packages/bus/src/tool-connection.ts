import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readBusUrl } from './bus-url.ts';

export interface ToolConnection extends AsyncDisposable {
  bus: NatsConnection;
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects to the bus for one command; unlike a service, it fails at once when the bus is
 * unavailable.
 * @throws when INTAKE does not exist
 */
export async function connectTool(url: string, name: string): Promise<ToolConnection> {
  const bus = await connect({ ...readBusUrl(url), name, timeout: CONNECT_TIMEOUT_MS, maxReconnectAttempts: 30 });
  try {
    const manager = await jetstreamManager(bus);
    await manager.streams.info('INTAKE');
  } catch (error) {
    await bus.close();
    throw error;
  }
  return { bus, [Symbol.asyncDispose]: () => bus.close() };
}
