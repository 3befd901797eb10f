import { setTimeout } from 'node:timers/promises';
import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { PublishedKind } from './publish-facts.ts';
import { CONSUMERS, type FactKind } from '../streams.ts';

// Long enough for a server on a busy machine.
const COUNTED_AFTER_MS = 500;

/** A service's progress through the published messages of one kind. */
export interface ConsumerProgress {
  consumer: string;
  kind: FactKind;
  // Upper bound of remaining messages: may include other publishers' messages.
  remaining: number;
}

/**
 * Reads each consumer's progress through the published messages. Skips consumers that do not exist
 * because their service was never set up.
 */
export async function readConsumerProgress(
  bus: NatsConnection,
  published: ReadonlyMap<FactKind, PublishedKind>,
): Promise<ConsumerProgress[]> {
  const manager = await jetstreamManager(bus);
  const states = [...published].flatMap(([kind, upTo]) =>
    consumersOf(kind).map(async ([consumer, { stream }]) => {
      const find = (): Promise<ConsumerInfo | undefined> => findConsumer(manager, stream, consumer);
      let info = await find();
      if (info !== undefined && mayNotCountAll(info, upTo)) {
        await setTimeout(COUNTED_AFTER_MS);
        info = await find();
      }
      return info === undefined ? [] : [{ consumer, kind, remaining: remainingOf(info, upTo) }];
    }),
  );
  return (await Promise.all(states)).flat();
}

function consumersOf(kind: FactKind) {
  return Object.entries(CONSUMERS).filter(([, { filter_subject }]) => filter_subject === `intake.${kind}.*`);
}

async function findConsumer(manager: JetStreamManager, stream: string, consumer: string): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, consumer);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound) return undefined;
    throw error;
  }
}

// The server acknowledges a message before its consumers count it. One that was deleted before it
// was delivered looks the same, and stays so.
function mayNotCountAll({ delivered, num_pending, num_ack_pending }: ConsumerInfo, { lastSequence }: PublishedKind): boolean {
  return num_pending + num_ack_pending === 0 && delivered.stream_seq < lastSequence;
}

// The ack floor moves over the consumer's own messages only, so it lags when none are left: check
// both.
function remainingOf(
  { ack_floor, num_pending, num_ack_pending }: ConsumerInfo,
  { messages, lastSequence }: PublishedKind,
): number {
  if (ack_floor.stream_seq >= lastSequence) return 0;
  return Math.min(messages, num_pending + num_ack_pending);
}
