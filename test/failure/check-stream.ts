import { isDeepStrictEqual } from 'node:util';
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { asSeen, type SeenEvent } from '../support/events.ts';
import type { Customer } from './customer.ts';
import type { FaultyStack } from './faulty-stack.ts';

const SOURCE = '/survey/import-reconciler';

/**
 * Checks that the stream has every event of these customers once and in order of their sequences.
 */
export async function checkStream({ db, nats }: FaultyStack, customers: readonly Customer[]): Promise<string[]> {
  const bus = await connect(readBusUrl(nats.url));
  try {
    const events = Map.groupBy(await readStream(bus), ({ headers }) => headers['ce-subject']);
    const wrong: string[] = [];
    for (const { account } of customers) {
      const { accountId } = account;
      const { rows } = await db.query<{ sequence: number; subject: string }>(
        'select sequence, subject from imports.outbox where account_id = $1 and sequence is not null order by sequence',
        [accountId],
      );
      const published = rows.map(({ sequence, subject }) => `${sequence} ${subject}`);
      const seen = (events.get(String(accountId)) ?? []).map(({ sequence, what }) => `${sequence} events.${what}`);
      if (!isDeepStrictEqual(seen, published))
        wrong.push(`account ${accountId}: the stream has ${seen.join(', ')} of ${published.join(', ')}`);
    }
    return wrong;
  } finally {
    await bus.close();
  }
}

/** Returns all events of import-reconciler on the stream. */
export async function readStream(bus: NatsConnection): Promise<SeenEvent[]> {
  const manager = await jetstreamManager(bus);
  const { last_seq } = (await manager.streams.info('EVENTS')).state;
  const seen: SeenEvent[] = [];
  if (last_seq === 0) return seen;
  const consumer = await jetstream(bus).consumers.get('EVENTS', { deliver_policy: DeliverPolicy.All });
  for await (const message of await consumer.consume()) {
    const event = asSeen(message);
    if (event.headers['ce-source'] === SOURCE) seen.push(event);
    if (message.seq >= last_seq) break;
  }
  return seen;
}
