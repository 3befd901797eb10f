import { jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { inTransaction, type Client, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { Counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import type { BusConnection } from './connection.ts';

// The schema whose outbox it is: each writing service has its own.
export type OutboxSchema = 'admin' | 'imports';

export interface Outgoing {
  accountId: number;
  subject: string;
  payload: Uint8Array;
}

const BATCH = 500;
const POLL_MS = 1_000;
const PUBLISH_TIMEOUT_MS = 5_000;
const KEEP_SENT = '1 day';

/** Puts messages into the outbox, in the transaction that makes them true. */
export async function enqueue(db: Queryable, schema: OutboxSchema, messages: readonly Outgoing[]): Promise<void> {
  await db.query(
    `insert into ${schema}.outbox (account_id, subject, payload)
     select * from unnest($1::bigint[], $2::text[], $3::bytea[])`,
    [messages.map((m) => m.accountId), messages.map((m) => m.subject), messages.map((m) => Buffer.from(m.payload))],
  );
}

export interface OutboxRelay {
  // Call after a commit that enqueued: the message then leaves at once instead of at the next poll.
  readonly wake: () => void;
}

/**
 * Publishes what stands in the outbox, at least once, in the order of its rows; several relays may run side by side.
 * A message stays in the outbox until JetStream has taken it, however long the bus is away.
 */
export function startOutboxRelay(pool: Pool, schema: OutboxSchema, bus: BusConnection, tools: ServiceTools): OutboxRelay {
  const sent = new Counter({
    name: 'outbox_published_total',
    help: 'Messages handed to the bus',
    labelNames: ['subject'],
    registers: [tools.metrics],
  });
  let stopped = false;
  let wake = (): void => {};
  const loop = async (): Promise<void> => {
    while (!stopped) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const count = await relayBatch(pool, schema, bus, sent).catch((error: unknown) => {
        tools.log.warn({ err: error }, 'outbox waits');
        return 0;
      });
      if (count < BATCH) await Promise.race([woken, sleep(POLL_MS)]);
    }
  };
  const running = loop();
  tools.resources.defer(() => {
    stopped = true;
    wake();
    return running;
  });
  return { wake: () => wake() };
}

async function relayBatch(pool: Pool, schema: OutboxSchema, bus: BusConnection, sent: Counter<'subject'>): Promise<number> {
  const connection = bus.current();
  if (connection === undefined) return 0;
  return inTransaction(pool, async (client) => {
    const rows = await claimUnsent(client, schema);
    const stream = jetstream(connection, { timeout: PUBLISH_TIMEOUT_MS });
    await Promise.all(
      rows.map(({ id, account_id, subject, payload }) => {
        const meta = headers();
        meta.set('ce-id', `${schema}-${id}`);
        meta.set('ce-subject', String(account_id));
        return stream.publish(subject, payload, { msgID: `${schema}-${id}`, headers: meta });
      }),
    );
    await markSent(client, schema, rows);
    for (const { subject } of rows) sent.inc({ subject });
    return rows.length;
  });
}

interface OutboxRow {
  id: number;
  account_id: number;
  subject: string;
  payload: Buffer;
}

// By sent_at, never by "id above the last one": rows become visible in the order of commits, not of their ids.
async function claimUnsent(client: Client, schema: OutboxSchema): Promise<OutboxRow[]> {
  const { rows } = await client.query<OutboxRow>(
    `select id, account_id, subject, payload from ${schema}.outbox
     where sent_at is null order by id limit ${BATCH} for update skip locked`,
  );
  return rows;
}

async function markSent(client: Client, schema: OutboxSchema, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query(`update ${schema}.outbox set sent_at = now() where id = any($1::bigint[])`, [rows.map(({ id }) => id)]);
  await client.query(`delete from ${schema}.outbox where id in
    (select id from ${schema}.outbox where sent_at < now() - interval '${KEEP_SENT}' limit ${BATCH})`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
