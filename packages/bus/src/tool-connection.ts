import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readBusUrl } from './bus-url.ts';

export interface ToolConnection extends AsyncDisposable {
  bus: NatsConnection;
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The bus for the time of one command: unlike a service, a person wants to hear at once that it is
 * away. Throws when INTAKE is not there.
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
