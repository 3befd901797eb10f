import {
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type ConsumerInfo,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { OwnedSchema } from '@survey/postgres/account-rows.ts';
import { inTransaction, type Client, type Pool } from '@survey/postgres/database.ts';
import { FactPosition } from '@survey/proto/events/v1/events.ts';
import { type ConsumerName, CONSUMERS } from './streams.ts';

// NATS keeps the position of each consumer. After a power cut, that position can be on the disk
// while the messages that it counts are not. New messages then get numbers that the consumer
// believes to have seen, and it skips them silently. So each service stores in PostgreSQL how
// far it has come: the number and the time of a message before which all are applied, and which
// servers it has met. A server gets another id whenever it starts. When a service meets one that it
// does not know, or a stream that is younger or shorter than its position, it recreates its
// consumer so that it begins shortly before the stored time. What was applied already changes
// nothing when it is applied again.
//
// This finds what is on the bus. What the bus has lost, only its publisher can send again. So the
// service also stores which time the lost messages are from, and tells it with its position.

/** Where a service stores its positions. */
export interface PositionStore {
  readonly pool: Pool;
  readonly schema: OwnedSchema;
}

export interface Position {
  readonly servers: readonly string[];
  readonly stream_created: string | null;
  readonly sequence: number | null;
  // RFC 3339: shortly before the time of the message.
  readonly replay_from: string | null;
}

export interface BusState {
  readonly server: string;
  readonly streamCreated: string;
  readonly lastSequence: number;
  // Sequence of the last message that was sent to the consumer; undefined without the consumer.
  readonly delivered: number | undefined;
}

const TIMEOUT_MS = 5_000;
// The clocks of servers that lead a stream in turn may differ by this much.
const CLOCK_MARGIN = '5 seconds';
// Of a change to a consumer that its service and `prepare` may change at the same time.
const ATTEMPTS = 10;
// NATS syncs this often by default: what is older is on its disk.
const SYNC_INTERVAL = '2 minutes';
// Nodes of a cluster, and their restarts during a rolling update.
const KNOWN_SERVERS = 12;
const OUTBOX = 'outbox';
const IS_ANOTHER = 'the stream is another one';
const IS_SHORT = 'the stream ends before its consumer';

/** Returns why a consumer must begin again at its stored position, if it must. */
export function replayReason(
  position: Position,
  { server, streamCreated, lastSequence, delivered }: BusState,
): string | undefined {
  if (position.stream_created === null) return undefined;
  if (position.stream_created !== streamCreated) return IS_ANOTHER;
  // A replay was interrupted after it had deleted the consumer.
  if (delivered === undefined) return 'the consumer is missing';
  if (Math.max(delivered, position.sequence ?? 0) > lastSequence) return IS_SHORT;
  return position.servers.includes(server) ? undefined : 'the server has restarted';
}

/**
 * Compares a consumer with its stream and with the position in PostgreSQL, and recreates it at that
 * position if it would skip messages. Returns why, if so. Instances of a service may call it at the
 * same time: the first one replays.
 * @throws when NATS or PostgreSQL cannot be asked
 */
export async function resumeConsumer(
  { pool, schema }: PositionStore,
  consumer: ConsumerName,
  connection: NatsConnection,
): Promise<string | undefined> {
  const { stream, durable_name } = CONSUMERS[consumer];
  const manager = await jetstreamManager(connection, { timeout: TIMEOUT_MS, checkAPI: false });
  return inTransaction(pool, async (tx) => {
    const position = await lockPosition(tx, schema, consumer);
    // Reads the stream last, so that it includes a message that is delivered in between.
    const info = await manager.consumers.info(stream, durable_name).catch((error: unknown) => {
      // The first time, the consumer is still to be provisioned.
      if (position.stream_created === null || !isConsumerNotFound(error)) throw error;
    });
    const streamInfo = await manager.streams.info(stream);
    const busState = busStateOf(connection, info, streamInfo);
    const reason = replayReason(position, busState);
    if (reason === undefined && position.servers.includes(busState.server)) return undefined;
    if (reason !== undefined) await recreateConsumer(manager, consumer, position.replay_from ?? undefined);
    await tx.query(
      `update ${schema}.bus_position set servers = $2::text[], stream_created = $3, sequence = null,
         lost_from = case when $4::boolean then reached_at else lost_from end,
         lost_until = case when $4::boolean then now() else lost_until end
       where name = $1`,
      [consumer, withServer(position, busState.server), busState.streamCreated, reason === IS_ANOTHER || reason === IS_SHORT],
    );
    return reason;
  });
}

/**
 * Returns how many messages a consumer is ahead of the end of its stream: 0 unless the stream has
 * lost some.
 */
export const messagesAhead = (delivered: number, { state }: StreamInfo): number => Math.max(0, delivered - state.last_seq);

const RFC_3339 = `'YYYY-MM-DD"T"HH24:MI:SS"Z"'`;
/** The columns of a FactPosition, as SQL: whole seconds that leave out no lost fact. */
export const FACT_POSITION = `coalesce(to_char(reached_at at time zone 'utc', ${RFC_3339}), '') as applied_up_to,
  coalesce(to_char(lost_from at time zone 'utc', ${RFC_3339}), '') as lost_from,
  coalesce(to_char((lost_until + interval '999999 microseconds') at time zone 'utc', ${RFC_3339}), '') as lost_until`;

/** Stores that all messages up to one are applied. Returns the position, if it is a later one. */
export async function storePosition(
  { pool, schema }: PositionStore,
  consumer: ConsumerName,
  { sequence, time, server }: { readonly sequence: number; readonly time: string; readonly server: string },
): Promise<FactPosition | undefined> {
  const { rows } = await pool.query<FactPosition>(
    `update ${schema}.bus_position set sequence = $2::bigint, reached_at = $3::timestamptz
     where name = $1 and $4 = any(servers) and (reached_at is null or reached_at < $3::timestamptz)
     returning name as consumer, ${FACT_POSITION}`,
    [consumer, sequence, time, server],
  );
  return rows[0];
}

export async function readPosition({ pool, schema }: PositionStore, consumer: ConsumerName): Promise<FactPosition | undefined> {
  const { rows } = await pool.query<FactPosition>(
    `select name as consumer, ${FACT_POSITION} from ${schema}.bus_position where name = $1`,
    [consumer],
  );
  return rows[0];
}

/** Tells whoever listens how far a consumer of facts has come (docs/events.md). */
export function tellPosition(consumer: ConsumerName, position: FactPosition | undefined, bus: NatsConnection): void {
  if (position === undefined || CONSUMERS[consumer].stream !== 'INTAKE') return;
  bus.publish(`progress.facts.${consumer}`, FactPosition.encode(position).finish());
}

/**
 * Marks events as unsent that a server may have lost: those sent shortly before the relay last knew
 * that its server was up. Does nothing for a server that it knows. Returns how many.
 */
export async function resumeOutbox({ pool, schema }: PositionStore, server: string): Promise<number> {
  return inTransaction(pool, async (tx) => {
    const position = await lockPosition(tx, schema, OUTBOX);
    if (position.servers.includes(server)) return 0;
    const { rowCount } = await tx.query(
      `update ${schema}.outbox set sent_at = null where sent_at > $1::timestamptz - interval '${SYNC_INTERVAL}' and sequence is not null`,
      [position.replay_from],
    );
    await tx.query(`update ${schema}.bus_position set servers = $2::text[], reached_at = now() where name = $1`, [
      OUTBOX,
      withServer(position, server),
    ]);
    return rowCount ?? 0;
  });
}

/** Stores that the server to which the relay publishes is up. */
export async function noteOutboxServer({ pool, schema }: PositionStore, server: string): Promise<void> {
  await pool.query(`update ${schema}.bus_position set reached_at = now() where name = $1 and $2 = any(servers)`, [
    OUTBOX,
    server,
  ]);
}

async function lockPosition(tx: Client, schema: OwnedSchema, name: string): Promise<Position> {
  await tx.query(`insert into ${schema}.bus_position (name) values ($1) on conflict do nothing`, [name]);
  const { rows } = await tx.query<Position>(
    `select servers, stream_created, sequence,
       to_char((reached_at - interval '${CLOCK_MARGIN}') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as replay_from
     from ${schema}.bus_position where name = $1 for update`,
    [name],
  );
  if (rows[0] === undefined) throw new Error('expected the position that was inserted');
  return rows[0];
}

function busStateOf(connection: NatsConnection, info: ConsumerInfo | void, { created, state }: StreamInfo): BusState {
  const server = serverOf(connection);
  return { server, streamCreated: created, lastSequence: state.last_seq, delivered: info?.delivered.stream_seq };
}

/** Returns the id of the process of nats-server to which a connection leads. */
export const serverOf = (connection: NatsConnection): string => connection.info?.server_id ?? '';

const withServer = ({ servers }: Position, server: string): string[] => [...servers, server].slice(-KNOWN_SERVERS);

/**
 * Lets a consumer begin at a time, or at the first message. Returns how many messages it has before
 * it.
 */
async function recreateConsumer(manager: JetStreamManager, name: ConsumerName, since?: string): Promise<number> {
  const { stream, ...consumer } = CONSUMERS[name];
  const start = { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since ?? '' };
  // A work queue deletes what is done, so it has no other start than the first message.
  const isWhole = since === undefined || stream === 'JOBS';
  return untilAccepted(async () => {
    // The start of a consumer cannot be changed.
    await manager.consumers.delete(stream, name).catch((error: unknown) => {
      if (!isConsumerNotFound(error)) throw error;
    });
    const { num_pending } = await manager.consumers.add(stream, { ...consumer, ...(isWhole ? {} : start) });
    return num_pending;
  });
}

/** Repeats a change that the server refuses because another process made one in between. */
export async function untilAccepted<T>(change: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1)
    try {
      return await change();
    } catch (error) {
      if (left === 0 || !(error instanceof JetStreamApiError)) throw error;
    }
}

const isConsumerNotFound = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound;

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
