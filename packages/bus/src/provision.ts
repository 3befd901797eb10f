import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { connect, TimeoutError } from '@nats-io/transport-node';
import { readBusUrl } from './bus-url.ts';
import { untilAccepted } from './position.ts';
import { ACK_WAIT_NS, CONSUMERS, STREAMS } from './streams.ts';

const NOT_FOUND = new Set<number>([JetStreamApiCodes.StreamNotFound, JetStreamApiCodes.ConsumerNotFound]);

interface ProvisionOptions {
  natsUrl: string;
  // Replicas of each stream: 3 on a bus with three nodes. Absent: unchanged, 1 for a new stream.
  replicas?: number | undefined;
  // Sizes of streams by name, for accounts that require them. Absent: unchanged.
  maxBytes?: Readonly<Partial<Record<string, number>>>;
  // Durable pull consumers of all events, for the application's services, which may not create any.
  eventConsumers?: readonly string[];
  log?: (message: string) => void;
}

/**
 * Creates or updates every stream and consumer. Operators run this once per deployment: services
 * may not create any.
 */
export async function provision({
  natsUrl,
  replicas,
  maxBytes = {},
  eventConsumers = [],
  log = () => {},
}: ProvisionOptions): Promise<void> {
  await withManager(natsUrl, async (manager) => {
    for (const stream of STREAMS) {
      const max_bytes = maxBytes[stream.name];
      const settings = {
        ...stream,
        ...(replicas && { num_replicas: replicas }),
        // A full stream rejects messages, which publishers repeat: dropping old ones loses facts.
        ...(max_bytes !== undefined && { max_bytes, discard: DiscardPolicy.New }),
      };
      await ((await exists(manager.streams.info(stream.name)))
        ? manager.streams.update(stream.name, settings)
        : manager.streams.add(settings));
      log(`stream ${stream.name}`);
    }
    for (const { stream, ...consumer } of Object.values(CONSUMERS)) {
      const name = consumer.durable_name;
      // The server refuses to add an existing one with different settings.
      await untilAccepted(async () =>
        (await exists(manager.consumers.info(stream, name)))
          ? manager.consumers.update(stream, name, consumer)
          : manager.consumers.add(stream, consumer),
      );
      log(`consumer ${name}`);
    }
    for (const name of eventConsumers) {
      // An existing one keeps its position, and whatever its owner has asked for.
      if (await exists(manager.consumers.info('EVENTS', name))) continue;
      await manager.consumers.add('EVENTS', { durable_name: name, ack_policy: AckPolicy.Explicit, ack_wait: ACK_WAIT_NS });
      log(`consumer ${name}`);
    }
  });
}

/**
 * Whether provision() may succeed later, because NATS or its JetStream is still starting. The
 * client does not export the class of the second error.
 */
export const isStarting = (error: Error): boolean => error instanceof TimeoutError || error.name === 'JetStreamNotEnabled';

async function withManager(natsUrl: string, work: (manager: JetStreamManager) => Promise<void>): Promise<void> {
  const bus = await connect({ ...readBusUrl(natsUrl), name: 'prepare', timeout: 10_000 });
  try {
    await work(await jetstreamManager(bus));
  } finally {
    await bus.close();
  }
}

async function exists(info: Promise<unknown>): Promise<boolean> {
  return info.then(
    () => true,
    (error: unknown) => {
      if (error instanceof JetStreamApiError && NOT_FOUND.has(error.code)) return false;
      throw error;
    },
  );
}
