import type { Consumer } from '@nats-io/jetstream';
import { gauge } from '@survey/process/metrics.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';

const ASK_INTERVAL_MS = 10_000;

/**
 * Measures the pending messages of a consumer over all instances, until disposed. Workers are
 * scaled by this number.
 */
export function measureLag(consumer: Consumer, name: string, { metrics }: ServiceContext): Disposable {
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
