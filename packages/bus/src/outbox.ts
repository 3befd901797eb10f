import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { type Client, inTransaction, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { Counter } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { activeTraceparent, TRACEPARENT } from '@survey/process/trace-context.ts';
import type { BusConnection } from './connection.ts';
import type { EventSubject } from './events.ts';
import { noteOutboxServer, resumeOutbox, serverOf } from './position.ts';

export interface OutboxEntry {
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
const DELETE_INTERVAL_MS = 60_000;
const DELETE_BATCH = 5_000;

/**
 * Inserts messages into the outbox, in the account's transaction that makes them true. Events are
 * numbered here, which blocks other numbering for the account until the commit, so call it late in
 * the transaction. Consumers continue the current trace.
 */
export async function enqueue(
  db: Queryable,
  schema: OutboxSchema,
  accountId: number,
  messages: readonly OutboxEntry[],
): Promise<void> {
  let sequence = await reserveSequences(db, schema, accountId, messages.filter(isEvent).length);
  await db.query(
    `insert into ${schema}.outbox (account_id, subject, payload, sequence, traceparent)
     select $1::bigint, m.subject, m.payload, m.sequence, $5::text
     from unnest($2::text[], $3::bytea[], $4::bigint[]) with ordinality as m (subject, payload, sequence, ordinal)
     order by m.ordinal returning 1`,
    [
      accountId,
      messages.map((m) => m.subject),
      messages.map((m) => Buffer.from(m.payload)),
      messages.map((m) => (isEvent(m) ? sequence++ : null)),
      activeTraceparent() ?? null,
    ],
  );
}

const isEvent = ({ subject }: OutboxEntry): boolean => subject.startsWith('events.');

// Returns the first of the numbers.
async function reserveSequences(db: Queryable, schema: OutboxSchema, accountId: number, count: number): Promise<number> {
  if (count === 0) return 0;
  const { rows } = await db.query<{ last_sequence: number }>(
    `insert into ${schema}.event_sequence as s (account_id, last_sequence) values ($1::bigint, $2::bigint)
     on conflict (account_id) do update set last_sequence = s.last_sequence + excluded.last_sequence returning last_sequence`,
    [accountId, count],
  );
  if (rows[0] === undefined) throw new Error('expected the upsert to return a row');
  return rows[0].last_sequence - count + 1;
}

export interface OutboxRelay {
  // Call after a commit that enqueued, to publish now instead of at the next poll.
  readonly wake: (accountId: number) => void;
}

/**
 * Publishes outbox messages at least once, in order per account; several relays may run
 * concurrently. A message stays in the outbox until JetStream has stored it, even if the bus is
 * unavailable for long.
 */
export function startOutboxRelay(pool: Pool, schema: OutboxSchema, bus: BusConnection, context: ServiceContext): OutboxRelay {
  const published = new Counter({
    name: 'outbox_published_total',
    help: 'Messages published from the outbox.',
    labelNames: ['subject'],
    registers: [context.metrics],
  });
  const outbox: Relay = { pool, schema, bus, published, log: context.log };
  const woken = new Set<number>();
  let polledAt = -Infinity;
  let comparedOn: string | undefined;
  const relay = async (): Promise<void> => {
    const connection = bus.current();
    if (connection !== undefined && serverOf(connection) !== comparedOn) {
      const again = await resumeOutbox({ pool, schema }, serverOf(connection));
      if (again > 0) context.log.warn({ count: again }, 'events published again');
      comparedOn = serverOf(connection);
    }
    const accounts = [...woken];
    woken.clear();
    if ((await relayAccounts(outbox, accounts)) > 0) for (const account of accounts) wake(account);
    if (performance.now() - polledAt < POLL_MS) return;
    polledAt = performance.now();
    if ((await relayBatch(outbox)) === 0) return;
    polledAt = -Infinity;
    relaying.wake();
  };
  const relaying = repeat(POLL_MS, relay, (error) => context.log.warn({ err: error }, 'outbox publishing delayed'));
  const wake = (accountId: number): void => {
    woken.add(accountId);
    relaying.wake();
  };
  context.resources.use(relaying);
  context.resources.use(
    repeat(
      DELETE_INTERVAL_MS,
      async () => {
        if (comparedOn !== undefined && bus.current() !== undefined) await noteOutboxServer({ pool, schema }, comparedOn);
        await deleteAllSent(pool, schema);
      },
      (error) => context.log.warn({ err: error }, 'sent messages not deleted'),
    ),
  );
  return { wake };
}

interface Relay extends Pick<ServiceContext, 'log'> {
  readonly pool: Pool;
  readonly schema: OutboxSchema;
  readonly bus: BusConnection;
  readonly published: Counter<'subject'>;
}

// After a failure, accounts are relayed one by one, so that an unavailable node of a cluster delays
// only its own accounts.
async function relayAccounts(relay: Relay, accounts: readonly number[]): Promise<number> {
  if (accounts.length === 0) return 0;
  try {
    return await relayBatch(relay, accounts);
  } catch (error) {
    if (accounts.length === 1) throw error;
    const each = await Promise.allSettled(accounts.map((account) => relayBatch(relay, [account])));
    if (each.every(({ status }) => status === 'rejected')) throw error;
    relay.log.warn({ err: error }, 'outbox publishing delayed');
    return each.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value : 0), 0);
  }
}

async function relayBatch({ pool, schema, bus, published }: Relay, ofAccounts?: readonly number[]): Promise<number> {
  const connection = bus.current();
  if (connection === undefined) return 0;
  // When idle: one statement, no transaction.
  const unsent = await findUnsent(pool, schema, ofAccounts);
  if (unsent.length === 0) return 0;
  return inTransaction(pool, async (client) => {
    const rows = await claimUnsent(client, schema, unsent);
    if (rows.length === 0) return 0;
    await failpoint('relay.claimed');
    // All at once on one connection: they arrive in this order.
    await Promise.all(rows.map((row) => publish(connection, schema, row)));
    await failpoint('relay.published');
    await markSent(client, schema, rows);
    await failpoint('relay.marked');
    for (const { subject } of rows) published.inc({ subject });
    return rows.length;
  });
}

async function publish(connection: NatsConnection, schema: OutboxSchema, row: OutboxRow): Promise<void> {
  const stream = jetstream(connection, { timeout: PUBLISH_TIMEOUT_MS });
  const headers = eventHeaders(schema, row);
  const { duplicate, seq } = await stream.publish(row.subject, row.payload, { msgID: row.message_id, headers });
  // NATS can call a message a duplicate of one that it lost in a failed attempt: publish it under
  // another id. Jobs need no check, because the sweeper finds them.
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

interface Unsent {
  id: number;
  account_id: number;
}

// By sent_at, not by "id above the last one": rows become visible in commit order. Jobs precede
// events because clients wait for them.
async function findUnsent(pool: Pool, schema: OutboxSchema, ofAccounts?: readonly number[]): Promise<Unsent[]> {
  const { rows } = await pool.query<Unsent>(
    `with next as (
       select id, account_id, sequence is not null as is_event, octet_length(payload) as bytes
       from ${schema}.outbox where sent_at is null ${ofAccounts === undefined ? '' : 'and account_id = any($1::bigint[])'}
       order by is_event, id limit ${BATCH}
     )
     select id, account_id from (select *, sum(bytes) over (order by is_event, id) - bytes as before from next) n
     where before < ${BATCH_BYTES}`,
    ofAccounts === undefined ? [] : [ofAccounts],
  );
  return rows;
}

// Only one relay at a time publishes for an account, which keeps the order. The second statement
// sees what the previous holder of the lock has sent.
async function claimUnsent(client: Client, schema: OutboxSchema, unsent: readonly Unsent[]): Promise<OutboxRow[]> {
  const { rows: locked } = await client.query<{ account_id: number }>(
    `select account_id from unnest($1::bigint[]) account_id
     where pg_try_advisory_xact_lock(hashtextextended('${schema}.outbox ' || account_id, 0))`,
    [[...new Set(unsent.map(({ account_id }) => account_id))]],
  );
  const accounts = new Set(locked.map(({ account_id }) => account_id));
  const mine = unsent.filter(({ account_id }) => accounts.has(account_id));
  if (mine.length === 0) return [];
  const { rows } = await client.query<OutboxRow>(
    `select o.id, o.message_id, o.account_id, o.subject, o.payload, o.sequence, o.traceparent,
            to_char(o.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
     from ${schema}.outbox o join unnest($1::bigint[], $2::bigint[]) as mine (account_id, id)
       on mine.account_id = o.account_id and mine.id = o.id
     where o.account_id = any($1::bigint[]) and o.sent_at is null order by o.sequence is not null, o.id`,
    columnsOf(mine),
  );
  return rows;
}

async function markSent(client: Client, schema: OutboxSchema, rows: readonly OutboxRow[]): Promise<void> {
  for (const [accountId, rowsOfAccount] of Map.groupBy(rows, ({ account_id }) => account_id))
    await client.query(`update ${schema}.outbox set sent_at = now() where account_id = $1::bigint and id = any($2::bigint[])`, [
      accountId,
      rowsOfAccount.map(({ id }) => id),
    ]);
}

const columnsOf = (rows: readonly Unsent[]): [number[], number[]] => [
  rows.map(({ account_id }) => account_id),
  rows.map(({ id }) => id),
];

async function deleteAllSent(pool: Pool, schema: OutboxSchema): Promise<void> {
  let deleted: number | null;
  do ({ rowCount: deleted } = await pool.query(deleteSent(schema)));
  while (deleted === DELETE_BATCH);
}

/** Returns SQL that deletes old sent messages, a limited number at a time. */
export function deleteSent(schema: OutboxSchema): string {
  return `delete from ${schema}.outbox where (account_id, id) in
    (select account_id, id from ${schema}.outbox where sent_at < now() - interval '${SENT_RETENTION}' order by sent_at limit ${DELETE_BATCH})`;
}

/** Schema of the outbox; each publishing service has its own. */
type OutboxSchema = 'admin' | 'imports' | 'text';

const SERVICE: Record<OutboxSchema, string> = { admin: 'account-admin', imports: 'import-reconciler', text: 'text-analysis' };

interface OutboxMessage {
  id: number;
  // UUID.
  message_id: string;
  account_id: number;
  subject: string;
  // RFC 3339, UTC.
  created_at: string;
  // Gapless per account and schema; null for messages that are not events.
  sequence: number | null;
  // Trace of the work that enqueued the message.
  traceparent: string | null;
}

/**
 * Returns the headers of a message: the trace, and for events also CloudEvents 1.0 in binary mode
 * with the account's sequence.
 */
export function eventHeaders(schema: OutboxSchema, message: OutboxMessage): MsgHdrs {
  const meta = headers();
  meta.set('ce-id', message.message_id);
  meta.set('ce-subject', String(message.account_id));
  if (message.traceparent !== null) meta.set(TRACEPARENT, message.traceparent);
  if (message.sequence === null) return meta;
  meta.set('ce-specversion', '1.0');
  meta.set('ce-source', `/survey/${SERVICE[schema]}`);
  meta.set('ce-type', message.subject.replace(/^events\./, 'survey.'));
  meta.set('ce-time', message.created_at);
  meta.set('ce-sequence', String(message.sequence));
  meta.set('content-type', 'application/protobuf');
  return meta;
}
