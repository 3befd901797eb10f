import { DeliverPolicy, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { CONSUMERS } from './streams.ts';

interface ReplayedConsumer {
  readonly consumer: string;
  /** Messages that the service receives again. */
  readonly messages: number;
}

/**
 * Recreates every consumer of INTAKE so that it begins at a time. Services apply the facts again,
 * which changes only what they have lost. An interrupted replay can be repeated.
 */
export async function replayFacts(bus: NatsConnection, since: string): Promise<ReplayedConsumer[]> {
  const manager = await jetstreamManager(bus);
  const replayed: ReplayedConsumer[] = [];
  for (const [name, { stream, ...consumer }] of Object.entries(CONSUMERS)) {
    if (stream !== 'INTAKE') continue;
    // The start of a consumer cannot be changed.
    await manager.consumers.delete(stream, name).catch(() => undefined);
    const { num_pending } = await manager.consumers.add(stream, {
      ...consumer,
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: since,
    });
    replayed.push({ consumer: name, messages: num_pending });
  }
  return replayed;
}
