import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { inTransaction, type Client, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { Counter } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { activeTraceparent } from '@survey/process/trace-context.ts';
import type { BusConnection } from './connection.ts';
import { eventHeaders, type OutboxMessage, type OutboxSchema } from './event-headers.ts';
import type { EventSubject } from './events.ts';

export interface OutboxEntry {
  accountId: number;
  subject: EventSubject | `jobs.${string}`;
  payload: Uint8Array;
}

const BATCH = 500;
// Maximum bytes per batch, except for its last message: the events of a large import have 100 kB
// each, and other messages wait for them.
const BATCH_BYTES = 4 * 2 ** 20;
// Finds messages of a stopped process; each enqueuing process wakes its own relay.
const POLL_MS = 5_000;
const PUBLISH_TIMEOUT_MS = 5_000;
const SENT_RETENTION = '1 day';

/**
 * Inserts messages into the outbox, in the account's transaction that makes them true. Events are
 * numbered here, which blocks other numbering for the account until the commit, so call it late in
 * the transaction. Consumers continue the current trace.
 */
export async function enqueue(db: Queryable, schema: OutboxSchema, messages: readonly OutboxEntry[]): Promise<void> {
  await db.query(
    `with message as (
       select *, subject like 'events.%' as is_event
       from unnest($1::bigint[], $2::text[], $3::bytea[]) with ordinality as m (account_id, subject, payload, ordinal)
     ), counted as (
       insert into ${schema}.event_sequence as s (account_id, last_sequence)
       select account_id, count(*) from message where is_event group by account_id
       on conflict (account_id) do update set last_sequence = s.last_sequence + excluded.last_sequence
       returning account_id, last_sequence
     )
     insert into ${schema}.outbox (account_id, subject, payload, traceparent, sequence)
     select m.account_id, m.subject, m.payload, $4,
            case when m.is_event then c.last_sequence + 1 - row_number() over (partition by m.account_id, m.is_event order by m.ordinal desc) end
     from message m left join counted c on c.account_id = m.account_id
     order by m.ordinal`,
    [
      messages.map((m) => m.accountId),
      messages.map((m) => m.subject),
      messages.map((m) => Buffer.from(m.payload)),
      activeTraceparent() ?? null,
    ],
  );
}

export interface OutboxRelay {
  // Call after a commit that enqueued, to publish now instead of at the next poll.
  readonly wake: () => void;
}

/**
 * Publishes outbox messages at least once, in order per account; several relays may run
 * concurrently. A message stays in the outbox until JetStream has stored it, even if the bus is
 * unavailable for long.
 */
export function startOutboxRelay(pool: Pool, schema: OutboxSchema, bus: BusConnection, context: ServiceContext): OutboxRelay {
  const sent = new Counter({
    name: 'outbox_published_total',
    help: 'Messages published from the outbox.',
    labelNames: ['subject'],
    registers: [context.metrics],
  });
  const relay = async (): Promise<void> => {
    if ((await relayBatch(pool, schema, bus, sent)) > 0) relaying.wake();
  };
  const relaying = repeat(POLL_MS, relay, (error) => context.log.warn({ err: error }, 'outbox publishing delayed'));
  context.resources.use(relaying);
  return relaying;
}

async function relayBatch(pool: Pool, schema: OutboxSchema, bus: BusConnection, sent: Counter<'subject'>): Promise<number> {
  const connection = bus.current();
  if (connection === undefined) return 0;
  // When idle: one statement, no transaction.
  const unsent = await pool.query<{ is: boolean }>(`select exists (select from ${schema}.outbox where sent_at is null) as is`);
  if (unsent.rows[0]?.is !== true) return 0;
  return inTransaction(pool, async (client) => {
    const rows = await claimUnsent(client, schema);
    if (rows.length === 0) return 0;
    await failpoint('relay.claimed');
    // All at once on one connection: they arrive in this order.
    await Promise.all(rows.map((row) => publish(connection, schema, row)));
    await failpoint('relay.published');
    await markSent(client, schema, rows);
    await failpoint('relay.marked');
    for (const { subject } of rows) sent.inc({ subject });
    return rows.length;
  });
}

async function publish(connection: NatsConnection, schema: OutboxSchema, row: OutboxRow): Promise<void> {
  const stream = jetstream(connection, { timeout: PUBLISH_TIMEOUT_MS });
  const headers = eventHeaders(schema, row);
  const { duplicate, seq } = await stream.publish(row.subject, row.payload, { msgID: row.message_id, headers });
  // A server keeps the id of a message that it lost in a failed attempt. Jobs need no check: the
  // sweeper finds them.
  if (!duplicate || row.sequence === null || (await isStored(connection, seq, row.message_id))) return;
  await stream.publish(row.subject, row.payload, { msgID: randomUUID(), headers });
}

async function isStored(connection: NatsConnection, seq: number, messageId: string): Promise<boolean> {
  const manager = await jetstreamManager(connection, { timeout: PUBLISH_TIMEOUT_MS, checkAPI: false });
  const message = await manager.streams.getMessage('EVENTS', { seq });
  return message?.header.get('ce-id') === messageId;
}

interface OutboxRow extends OutboxMessage {
  payload: Buffer;
}

// By sent_at, not by "id above the last one": rows become visible in commit order. One relay at a
// time per account keeps its order: `for update` makes the second relay re-check what the first has
// sent. Jobs precede events because clients wait for them.
async function claimUnsent(client: Client, schema: OutboxSchema): Promise<OutboxRow[]> {
  const { rows } = await client.query<OutboxRow>(
    `with next as (
       select id, account_id, sequence is not null as is_event, octet_length(payload) as bytes
       from ${schema}.outbox where sent_at is null order by is_event, id limit ${BATCH}
     ), first as materialized (
       select id, account_id from (select *, sum(bytes) over (order by is_event, id) - bytes as before from next) n
       where before < ${BATCH_BYTES}
     ), mine as materialized (
       select account_id, id from first where pg_try_advisory_xact_lock(hashtextextended('${schema}.outbox ' || account_id, 0))
     )
     select o.id, o.message_id, o.account_id, o.subject, o.payload, o.sequence, o.traceparent,
            to_char(o.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
     from ${schema}.outbox o join mine on mine.account_id = o.account_id and mine.id = o.id
     where o.sent_at is null order by o.sequence is not null, o.id for update of o`,
  );
  return rows;
}

async function markSent(client: Client, schema: OutboxSchema, rows: readonly OutboxRow[]): Promise<void> {
  await client.query(
    `update ${schema}.outbox o set sent_at = now() from unnest($1::bigint[], $2::bigint[]) s (account_id, id)
     where o.account_id = s.account_id and o.id = s.id`,
    [rows.map((row) => row.account_id), rows.map(({ id }) => id)],
  );
  await client.query(deleteSent(schema));
}

/** Returns SQL that deletes old sent messages, a limited number at a time. */
export function deleteSent(schema: OutboxSchema): string {
  return `delete from ${schema}.outbox where (account_id, id) in
    (select account_id, id from ${schema}.outbox where sent_at < now() - interval '${SENT_RETENTION}' order by sent_at limit ${BATCH})`;
}
