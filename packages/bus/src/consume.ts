import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Log } from '@survey/process/log.ts';
import { beginAt0, counter as sharedCounter, type Counter } from '@survey/process/metrics.ts';
import type { ServiceTools } from '@survey/process/service.ts';
import { TRACEPARENT } from '@survey/process/trace-context.ts';
import type { SpanStart } from '@survey/process/traces.ts';
import type { BusConnection } from './connection.ts';
import { measureLag } from './consumer-lag.ts';
import { CONSUMERS, type ConsumerName } from './streams.ts';

export interface ConsumeOptions {
  consumer: ConsumerName;
  // Messages worked on at the same time.
  concurrency: number;
  // Must stand being called twice with the same message, and in any order.
  handle: (payload: Uint8Array, delivery: Delivery) => Promise<void>;
}

export interface Delivery {
  // Of the message in its stream.
  sequence: number;
}

const RETRY_MS = 1_000;
const STILL_WORKING_MS = 20_000;
const RETRY_DELAY_MS = 5_000;

/** Works on a consumer's messages until the service stops: acknowledged when `handle` resolves, delivered again later when it throws. */
export function consume(bus: BusConnection, options: ConsumeOptions, tools: ServiceTools): void {
  const counter = sharedCounter(tools.metrics, {
    name: 'bus_messages_total',
    help: 'Messages taken from the bus',
    labelNames: ['consumer', 'outcome'],
  });
  const { consumer } = options;
  beginAt0(counter, [
    { consumer, outcome: 'done' },
    { consumer, outcome: 'failed' },
  ]);
  beginAt0(redeliveries(tools), [{ consumer }]);
  let stopped = false;
  let messages: ConsumerMessages | undefined;
  let running: Promise<void> | undefined;
  const inFlight = new Set<Promise<void>>();
  const work = async (connection: NatsConnection): Promise<void> => {
    while (!stopped && !connection.isClosed()) {
      try {
        const { stream, durable_name } = CONSUMERS[consumer];
        const durable = await jetstream(connection).consumers.get(stream, durable_name);
        using _lag = measureLag(durable, consumer, tools);
        messages = await durable.consume({ max_messages: options.concurrency, abort_on_missing_resource: true });
        await takeAll(messages, options, inFlight, counter, tools);
      } catch (error) {
        if (!stopped) tools.log.warn({ err: error, consumer }, 'consumer is away');
      }
      if (!stopped) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  };
  bus.whenConnected((connection) => (running = work(connection)));
  tools.resources.defer(async () => {
    stopped = true;
    messages?.stop();
    await Promise.all([running, ...inFlight]);
  });
}

function redeliveries({ metrics }: ServiceTools): Counter<'consumer'> {
  return sharedCounter(metrics, {
    name: 'bus_redeliveries_total',
    help: 'Messages taken from the bus that were delivered before',
    labelNames: ['consumer'],
  });
}

async function takeAll(
  messages: ConsumerMessages,
  { consumer, concurrency, handle }: ConsumeOptions,
  inFlight: Set<Promise<void>>,
  counter: Counter<'consumer' | 'outcome'>,
  tools: ServiceTools,
): Promise<void> {
  const again = redeliveries(tools);
  for await (const message of messages) {
    if (message.redelivered) again.inc({ consumer });
    const done = tools.traces
      .span(...consumerSpan(consumer, message), () => workOn(message, handle, consumer, tools.log))
      .then(
        () => counter.inc({ consumer, outcome: 'done' }),
        () => counter.inc({ consumer, outcome: 'failed' }),
      );
    const tracked = done.finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
    if (inFlight.size >= concurrency) await Promise.race(inFlight);
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

async function workOn(message: JsMsg, handle: ConsumeOptions['handle'], consumer: ConsumerName, log: Log): Promise<void> {
  const heartbeat = setInterval(() => message.working(), STILL_WORKING_MS);
  try {
    await handle(message.data, { sequence: message.seq });
    message.ack();
  } catch (error) {
    message.nak(RETRY_DELAY_MS);
    log.warn({ err: error, consumer, deliveries: message.info.deliveryCount }, 'message failed');
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}
