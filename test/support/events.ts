import { setTimeout as sleep } from 'node:timers/promises';
import { DeliverPolicy, jetstream, jetstreamManager, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { EmployeeEvent } from '@survey/proto/events/v1/events.ts';
import type { Pool } from 'pg';

/** An event as a consumer receives it. */
export interface SeenEvent {
  // Sequence in the stream.
  readonly position: number;
  // Subject without `events.`
  readonly what: string;
  readonly sequence: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

const TRIES = 100;

/** Returns every event of the account in stream order, after the outboxes have drained. */
export async function eventsOf(db: Pool, bus: NatsConnection, accountId: number, fromPosition = 1): Promise<SeenEvent[]> {
  await untilSent(db, accountId);
  const manager = await jetstreamManager(bus);
  const { last_seq } = (await manager.streams.info('EVENTS')).state;
  if (last_seq < fromPosition) return [];
  const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: fromPosition };
  const consumer = await jetstream(bus).consumers.get('EVENTS', start);
  const seen: SeenEvent[] = [];
  for await (const message of await consumer.consume()) {
    if (message.headers?.get('ce-subject') === String(accountId)) seen.push(asSeen(message));
    if (message.seq >= last_seq) break;
  }
  return seen;
}

export function asSeen({ seq, subject, headers, data }: JsMsg): SeenEvent {
  const named = Object.fromEntries((headers?.keys() ?? []).map((key) => [key, headers?.get(key) ?? '']));
  const what = subject.replace('events.', '');
  return { position: seq, what, sequence: Number(named['ce-sequence']), headers: named, payload: data };
}

/** Returns the employee changes of an event. */
export function employeesIn({ what, payload }: SeenEvent): EmployeeEvent['employees'] {
  if (!what.startsWith('employee.')) throw new Error(`${what} is not about employees`);
  return EmployeeEvent.decode(payload).employees;
}

async function untilSent(db: Pool, accountId: number): Promise<void> {
  const unsent = `select from imports.outbox where account_id = $1 and sent_at is null
    union all select from admin.outbox where account_id = $1 and sent_at is null
    union all select from text.outbox where account_id = $1 and sent_at is null`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if ((await db.query(unsent, [accountId])).rowCount === 0) return;
    await sleep(50);
  }
  throw new Error('the outbox is not empty');
}
