import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { recreateConsumer } from './position.ts';
import { type ConsumerName, CONSUMERS } from './streams.ts';

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
  const names = (Object.keys(CONSUMERS) as ConsumerName[]).filter((name) => CONSUMERS[name].stream === 'INTAKE');
  const replayed: ReplayedConsumer[] = [];
  for (const consumer of names) replayed.push({ consumer, messages: await recreateConsumer(manager, consumer, since) });
  return replayed;
}
