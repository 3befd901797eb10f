import type { Subscription } from '@nats-io/transport-node';
import type { BusConnection } from './connection.ts';

/**
 * Calls `handle` for every message on a subject while connected, until disposed or the bus is
 * closed. Messages sent while the bus is unavailable are lost: never rely on this alone.
 */
export function subscribe(bus: BusConnection, subject: string, handle: (payload: Uint8Array) => void): Disposable {
  let subscription: Subscription | undefined;
  let disposed = false;
  bus.whenConnected(async (connection) => {
    if (disposed) return;
    subscription = connection.subscribe(subject);
    for await (const message of subscription) handle(message.data);
  });
  return {
    [Symbol.dispose]: () => {
      disposed = true;
      subscription?.unsubscribe();
    },
  };
}

/** Publishes to current subscribers only; nothing is queued or stored. */
export function broadcast(bus: BusConnection, subject: string, payload: Uint8Array): void {
  const connection = bus.current();
  if (connection !== undefined && !connection.isClosed()) connection.publish(subject, payload);
}
