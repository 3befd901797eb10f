import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { CONSUMERS, STREAMS } from './streams.ts';

export interface ProvisionOptions {
  natsUrl: string;
  log?: (message: string) => void;
}

/** Makes or updates every stream and consumer. Done once by whoever deploys: services may not create any. */
export async function provision({ natsUrl, log = () => {} }: ProvisionOptions): Promise<void> {
  const bus = await connect({ servers: natsUrl.split(','), name: 'provision', timeout: 10_000 });
  try {
    const manager = await jetstreamManager(bus);
    for (const stream of STREAMS) {
      const known = await manager.streams.info(stream.name).catch(() => undefined);
      await (known ? manager.streams.update(stream.name, stream) : manager.streams.add(stream));
      log(`stream ${stream.name}`);
    }
    for (const { stream, ...consumer } of Object.values(CONSUMERS)) {
      // Adding a durable consumer that is there with the same settings changes nothing.
      await manager.consumers.add(stream, consumer);
      log(`consumer ${consumer.durable_name}`);
    }
  } finally {
    await bus.close();
  }
}
