import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, type ConsumerMessages, jetstream, type JsMsg } from '@nats-io/jetstream';
import { millis, nanos, type NatsConnection } from '@nats-io/transport-node';
import { type Counter, counter as sharedCounter, gauge, initializeToZero } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { TRACEPARENT } from '@survey/process/trace-context.ts';
import type { SpanStart } from '@survey/process/traces.ts';
import type { BusConnection } from './connection.ts';
import { redeliveryDelayMs, RetryLaterError } from './redelivery.ts';
import { type ConsumerName, CONSUMERS } from './streams.ts';

interface ConsumeOptions {
  consumer: ConsumerName;
  // Maximum number of unfinished messages.
  concurrency: number;
  // Maximum bytes of unfinished messages, exceeded by at most one fetch; absent: unlimited.
  maxBytes?: number;
  // Must be idempotent and independent of the order of messages.
  handle: (payload: Uint8Array, delivery: Delivery) => Promise<void>;
}

export interface Delivery {
  // Sequence of the message in its stream.
  sequence: number;
  subject: string;
}

const RETRY_MS = 1_000;
const RENEWALS_PER_ACK_WAIT = 3;
// Of nats-server.
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
  readonly #tools: ServiceContext;
  readonly #messages: Counter<'consumer' | 'outcome'>;
  readonly #redeliveries: Counter<'consumer'>;
  readonly #stopping = new AbortController();
  readonly #held = new Map<JsMsg, { readonly connection: NatsConnection; readonly done: Promise<void> }>();
  #renewal: NodeJS.Timeout | undefined;
  #heldBytes = 0;
  #finishedOne = Promise.withResolvers<void>();
  #fetched: ConsumerMessages | undefined;

  constructor(options: ConsumeOptions, context: ServiceContext) {
    this.#options = options;
    this.#tools = context;
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
  }

  /** Resolves when the connection is closed or the worker is stopped. */
  async run(connection: NatsConnection): Promise<void> {
    const { consumer } = this.#options;
    const { stream, durable_name } = CONSUMERS[consumer];
    const signal = this.#stopping.signal;
    while (!signal.aborted && !connection.isClosed()) {
      try {
        const durable = await jetstream(connection).consumers.get(stream, durable_name);
        await this.#renewWithin(durable);
        using _lag = measureLag(durable, consumer, this.#tools);
        await this.#fetchAll(durable, connection);
      } catch (error) {
        if (!signal.aborted) this.#tools.log.warn({ err: error, consumer }, 'consumer missing');
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

  async #fetchAll(durable: Consumer, connection: NatsConnection): Promise<void> {
    const { concurrency, maxBytes = Infinity } = this.#options;
    while (!connection.isClosed()) {
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
    const done = this.#tools.traces
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
    try {
      await handle(message.data, { sequence: message.seq, subject: message.subject });
      // After a lost connection the message is redelivered, which changes nothing.
      if (!connection.isClosed()) message.ack();
    } catch (error) {
      const { deliveryCount: deliveries } = message.info;
      if (!connection.isClosed()) message.nak(redeliveryDelayMs(error, deliveries));
      const level = error instanceof RetryLaterError ? 'debug' : 'warn';
      this.#tools.log[level]({ err: error, consumer, sequence: message.seq, deliveries }, 'message failed');
      throw error;
    }
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

const ASK_INTERVAL_MS = 10_000;

/**
 * Measures the pending messages of a consumer over all instances, until disposed. Workers are
 * scaled by this number.
 */
function measureLag(consumer: Consumer, name: string, { metrics }: ServiceContext): Disposable {
  const waiting = gauge(metrics, {
    name: 'bus_consumer_pending_messages',
    help: 'Unprocessed messages of the consumer, over all instances.',
    labelNames: ['consumer'],
  });
  const ask = async (): Promise<void> => {
    // Without the bus the number stays unchanged: bus_connected shows that it is stale.
    const info = await consumer.info().catch(() => undefined);
    if (info !== undefined) waiting.set({ consumer: name }, info.num_pending + info.num_ack_pending);
  };
  const asking = repeat(ASK_INTERVAL_MS, ask);
  // A frozen server does not delay the stop.
  return { [Symbol.dispose]: () => void asking[Symbol.asyncDispose]() };
}
