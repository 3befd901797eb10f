import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, type ConsumerMessages, jetstream, jetstreamManager, type JsMsg } from '@nats-io/jetstream';
import { millis, nanos, type NatsConnection } from '@nats-io/transport-node';
import {
  counter as sharedCounter,
  gauge,
  histogram as sharedHistogram,
  initializeToZero,
  type Counter,
  type Histogram,
} from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { TRACEPARENT } from '@survey/process/trace-context.ts';
import type { SpanStart } from '@survey/process/traces.ts';
import type { BusConnection } from './connection.ts';
import {
  messagesAhead,
  type PositionStore,
  readPosition,
  resumeConsumer,
  serverOf,
  storePosition,
  tellPosition,
} from './position.ts';
import { redeliveryDelayMs, RetryLaterError } from './redelivery.ts';
import { type ConsumerName, CONSUMERS } from './streams.ts';

interface ConsumeOptions {
  consumer: ConsumerName;
  // Maximum number of unfinished messages.
  concurrency: number;
  // Maximum bytes of unfinished messages, exceeded by at most one fetch; absent: unlimited.
  maxBytes?: number;
  // Absent: the consumer's position is only on NATS.
  positions?: PositionStore;
  // Must be idempotent and independent of the order of messages.
  handle: (payload: Uint8Array, delivery: Delivery) => Promise<void>;
}

export interface Delivery {
  // Sequence of the message in its stream.
  sequence: number;
  subject: string;
}

interface Reached {
  readonly sequence: number;
  // When it was published, in RFC 3339.
  readonly time: string;
  readonly server: string;
}

// Autoscalers read these measurements, so they must be recent.
const LOOK_INTERVAL_MS = 10_000;
const RETRY_MS = 1_000;
const RENEWALS_PER_ACK_WAIT = 3;
// The default of nats-server.
const DEFAULT_ACK_WAIT = nanos(30_000);
const FETCH_SIZE = 16;
// Two missed heartbeats end a fetch whose request the server has lost.
const FETCH_HEARTBEAT_MS = 5_000;

/**
 * Processes a consumer's messages until the service stops: acknowledged when `handle` resolves,
 * redelivered later when it throws. Fetches only what it can process, and extends the ack wait of
 * each unfinished message.
 */
export function consume(bus: BusConnection, options: ConsumeOptions, context: ServiceContext): void {
  const worker = new Worker(options, context);
  const running = new Set<Promise<void>>();
  bus.whenConnected(async (connection) => {
    const run = worker.run(connection).finally(() => running.delete(run));
    running.add(run);
    await run;
  });
  context.resources.defer(async () => {
    worker.stop();
    await Promise.all(running);
    await worker.finished();
  });
}

class Worker {
  readonly #options: ConsumeOptions;
  readonly #context: ServiceContext;
  readonly #messages: Counter<'consumer' | 'outcome'>;
  readonly #redeliveries: Counter<'consumer'>;
  readonly #stopping = new AbortController();
  readonly #held = new Map<JsMsg, { readonly connection: NatsConnection; readonly done: Promise<void> }>();
  #renewal: NodeJS.Timeout | undefined;
  #heldBytes = 0;
  #finishedOne = Promise.withResolvers<void>();
  #fetched: ConsumerMessages | undefined;
  readonly #replays: Counter<'consumer'>;
  readonly #age: Histogram<'consumer'>;
  // Server on which the consumer was compared with its stored position.
  #comparedOn: string | undefined;
  // The last message that was handled here, now and at an earlier look. Once all messages before
  // the earlier one are acknowledged, it is the new position.
  #handled: Reached | undefined;
  #candidate: Reached | undefined;

  constructor(options: ConsumeOptions, context: ServiceContext) {
    this.#options = options;
    this.#context = context;
    const { consumer } = options;
    this.#messages = sharedCounter(context.metrics, {
      name: 'bus_messages_total',
      help: 'Received messages, by outcome.',
      labelNames: ['consumer', 'outcome'],
    });
    initializeToZero(this.#messages, [
      { consumer, outcome: 'done' },
      { consumer, outcome: 'failed' },
    ]);
    this.#redeliveries = sharedCounter(context.metrics, {
      name: 'bus_redeliveries_total',
      help: 'Redelivered messages.',
      labelNames: ['consumer'],
    });
    initializeToZero(this.#redeliveries, [{ consumer }]);
    this.#replays = sharedCounter(context.metrics, {
      name: 'bus_replays_total',
      help: 'Times that a consumer began again at its position in PostgreSQL, because NATS had restarted or lost messages.',
      labelNames: ['consumer'],
    });
    initializeToZero(this.#replays, [{ consumer }]);
    this.#age = sharedHistogram(context.metrics, {
      name: 'bus_message_age_seconds',
      help: 'Time from the publication of a message to the end of its handling, in seconds.',
      labelNames: ['consumer'],
      buckets: [0.1, 1, 5, 15, 60, 300, 1_800, 7_200],
    });
    this.#age.zero({ consumer });
  }

  /** Resolves when the connection is closed or the worker is stopped. */
  async run(connection: NatsConnection): Promise<void> {
    const { consumer } = this.#options;
    const { stream, durable_name } = CONSUMERS[consumer];
    const signal = this.#stopping.signal;
    void this.#endFetchesOnReconnect(connection);
    while (!signal.aborted && !connection.isClosed()) {
      try {
        await this.#resume(connection);
        const durable = await jetstream(connection).consumers.get(stream, durable_name);
        await this.#renewWithin(durable);
        using _lag = this.#watch(durable, connection);
        await this.#fetchAll(durable, connection);
      } catch (error) {
        // A killed instance may have deleted the consumer and not recreated it.
        this.#comparedOn = undefined;
        if (!signal.aborted) this.#context.log.warn({ err: error, consumer }, 'consumer unavailable');
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  stop(): void {
    this.#stopping.abort();
    this.#finishedOne.resolve();
    this.#fetched?.stop();
  }

  async finished(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ done }) => done));
    clearInterval(this.#renewal);
  }

  // The server may have been replaced, and does not know the request.
  async #endFetchesOnReconnect(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) if (type === 'reconnect') this.#fetched?.stop();
  }

  async #fetchAll(durable: Consumer, connection: NatsConnection): Promise<void> {
    const { concurrency, maxBytes = Infinity } = this.#options;
    const server = serverOf(connection);
    while (!connection.isClosed() && serverOf(connection) === server) {
      const isFull = (): boolean => this.#held.size >= concurrency || this.#heldBytes >= maxBytes;
      while (isFull() && !this.#stopping.signal.aborted) await this.#finishedOne.promise;
      if (this.#stopping.signal.aborted) return;
      const max_messages = Math.min(FETCH_SIZE, concurrency - this.#held.size);
      this.#fetched = await durable.fetch({ max_messages, idle_heartbeat: FETCH_HEARTBEAT_MS });
      // The stop may have come before the fetch began.
      if (this.#stopping.signal.aborted) this.#fetched.stop();
      for await (const message of this.#fetched) this.#start(message, connection);
    }
  }

  #start(message: JsMsg, connection: NatsConnection): void {
    const { consumer } = this.#options;
    if (message.redelivered) this.#redeliveries.inc({ consumer });
    this.#heldBytes += message.data.byteLength;
    const done = this.#context.traces
      // Bounded: a pair.
      .span(...consumerSpan(consumer, message), () => this.#handle(message, connection))
      .then(
        () => this.#messages.inc({ consumer, outcome: 'done' }),
        () => this.#messages.inc({ consumer, outcome: 'failed' }),
      )
      .finally(() => {
        this.#held.delete(message);
        this.#heldBytes -= message.data.byteLength;
        this.#finishedOne.resolve();
        this.#finishedOne = Promise.withResolvers();
      });
    this.#held.set(message, { connection, done });
  }

  async #handle(message: JsMsg, connection: NatsConnection): Promise<void> {
    const { consumer, handle } = this.#options;
    const server = serverOf(connection);
    // After a lost connection the message is redelivered, which changes nothing. Another server may
    // have another message of this number.
    const isConnected = (): boolean => !connection.isClosed() && serverOf(connection) === server;
    try {
      await handle(message.data, { sequence: message.seq, subject: message.subject });
      if (!isConnected()) return;
      message.ack();
      this.#age.observe({ consumer }, Math.max(0, Date.now() - Date.parse(message.timestamp)) / 1_000);
      if (message.seq > (this.#handled?.sequence ?? 0))
        this.#handled = { sequence: message.seq, time: message.timestamp, server };
    } catch (error) {
      const { deliveryCount: deliveries } = message.info;
      if (isConnected()) message.nak(redeliveryDelayMs(error, deliveries));
      const level = error instanceof RetryLaterError ? 'debug' : 'warn';
      this.#context.log[level]({ err: error, consumer, sequence: message.seq, deliveries }, 'message failed');
      throw error;
    }
  }

  // If the comparison fails, the next look repeats it. Nothing is lost in between, because a replay
  // begins at a time.
  async #resume(connection: NatsConnection): Promise<void> {
    const { consumer, positions } = this.#options;
    const server = serverOf(connection);
    if (positions === undefined || this.#comparedOn === server) return;
    try {
      const reason = await resumeConsumer(positions, consumer, connection);
      this.#comparedOn = server;
      if (reason === undefined) return;
      [this.#handled, this.#candidate] = [undefined, undefined];
      this.#replays.inc({ consumer });
      this.#context.log.warn({ consumer, reason }, 'consumer replayed');
      tellPosition(consumer, await readPosition(positions, consumer), connection);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#context.log.warn({ err: error, consumer }, 'consumer position not compared');
    }
  }

  /** Measures the consumer and stores its position, until disposed. */
  #watch(durable: Consumer, connection: NatsConnection): Disposable {
    const { consumer, positions } = this.#options;
    const { metrics, log } = this.#context;
    const waiting = gauge(metrics, {
      name: 'bus_consumer_pending_messages',
      help: 'Unprocessed messages of the consumer, over all instances.',
      labelNames: ['consumer'],
    });
    const oldest = gauge(metrics, {
      name: 'bus_oldest_message_seconds',
      help: 'Age of the oldest message of the consumer that this instance is handling, in seconds; 0 when none is pending.',
      labelNames: ['consumer'],
    });
    let delivered = 0;
    // Time of the last message of the stream when the position was stored, so that nothing is
    // written while nothing arrives.
    let storedTime = '';
    const look = async (): Promise<void> => {
      const manager = positions && (await jetstreamManager(connection, { checkAPI: false }));
      // The stream is read before the consumer: whatever was in the stream and is no longer pending
      // afterwards has been applied.
      const stream = await manager?.streams.info(CONSUMERS[consumer].stream);
      // Without the bus the numbers stay unchanged: bus_connected shows that they are stale.
      const info = await durable.info();
      const pending = info.num_pending + info.num_ack_pending;
      waiting.set({ consumer }, pending);
      // Messages come in order, so what is delivered is older than what is not.
      const publishedAt = [...this.#held.keys()].map(({ timestamp }) => Date.parse(timestamp));
      if (pending === 0) oldest.set({ consumer }, 0);
      // Bounded: `concurrency`.
      else if (publishedAt.length > 0) oldest.set({ consumer }, Math.max(0, Date.now() - Math.min(...publishedAt)) / 1_000);
      if (positions === undefined || stream === undefined) return;
      // `delivered` is still the value of the previous look, because a message may have been stored
      // and delivered between reading the stream and the consumer.
      if (messagesAhead(delivered, stream) > 0) this.#comparedOn = undefined;
      delivered = info.delivered.stream_seq;
      const server = serverOf(connection);
      if (this.#comparedOn !== server) return this.#resume(connection);
      const { last_seq: sequence, last_ts: time } = stream.state;
      const isIdle = pending === 0 && sequence > 0 && delivered <= sequence;
      if (!isIdle) return this.#storePosition(positions, info.ack_floor.stream_seq, connection);
      if (time === storedTime) return;
      tellPosition(consumer, await storePosition(positions, consumer, { sequence, time, server }), connection);
      storedTime = time;
    };
    const looking = repeat(LOOK_INTERVAL_MS, look, (error) => log.debug({ err: error, consumer }, 'consumer not measured'));
    // A frozen server does not delay the stop.
    return { [Symbol.dispose]: () => void looking[Symbol.asyncDispose]() };
  }

  async #storePosition(positions: PositionStore, acknowledged: number, connection: NatsConnection): Promise<void> {
    const { consumer } = this.#options;
    if (this.#candidate !== undefined && acknowledged >= this.#candidate.sequence) {
      tellPosition(consumer, await storePosition(positions, consumer, this.#candidate), connection);
      this.#candidate = undefined;
    }
    this.#candidate ??= this.#handled;
  }

  async #renewWithin(durable: Consumer): Promise<void> {
    const { config } = await durable.info(true);
    clearInterval(this.#renewal);
    this.#renewal = setInterval(() => this.#renew(), millis(config.ack_wait ?? DEFAULT_ACK_WAIT) / RENEWALS_PER_ACK_WAIT);
  }

  #renew(): void {
    for (const [message, { connection }] of this.#held) if (!connection.isClosed()) message.working();
  }
}

function consumerSpan(consumer: ConsumerName, { headers }: JsMsg): [name: string, start: SpanStart] {
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': consumer,
  } as const;
  return [`process ${consumer}`, { kind: 'consumer', attributes, parent: headers?.get(TRACEPARENT) }];
}
