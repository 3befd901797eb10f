import type { Client } from '@grpc/grpc-js';

// A new client that is not connected in time is closed, and the old one is kept.
const CONNECT_TIMEOUT_MS = 10_000;

/** A client that stays open until it is released. */
interface ClientLease extends Disposable {
  readonly client: Client;
}

export interface RenewedClient extends Disposable {
  /** Returns the client for a new call. */
  lease(): ClientLease;
}

interface Generation {
  readonly client: Client;
  calls: number;
}

/**
 * Replaces a client periodically by one with new connections, so that calls reach new instances of
 * a service. A client is closed after its last call. Closing connections earlier ends calls:
 * grpc-js treats the first keepalive ping on a closing connection as a failure and drops all its
 * calls; a server's max_connection_age has the same effect.
 */
export function renewClient(open: () => Client, intervalMs: number): RenewedClient {
  const generations = new Set<Generation>();
  const add = (client: Client): Generation => {
    const generation = { client, calls: 0 };
    generations.add(generation);
    return generation;
  };
  let current = add(open());
  const closeIfUnused = (generation: Generation): void => {
    if (generation === current || generation.calls > 0) return;
    if (generations.delete(generation)) generation.client.close();
  };
  const renew = (): void => {
    const next = add(open());
    next.client.waitForReady(Date.now() + CONNECT_TIMEOUT_MS, (error) => {
      const replaced = error ? next : current;
      if (!error) current = next;
      closeIfUnused(replaced);
    });
  };
  // Jitter: not all clients renew at the same moment.
  const timer = setInterval(renew, intervalMs * (0.9 + Math.random() * 0.2)).unref();
  return {
    lease: () => {
      const generation = current;
      generation.calls += 1;
      return {
        client: generation.client,
        [Symbol.dispose]: () => {
          generation.calls -= 1;
          closeIfUnused(generation);
        },
      };
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      for (const { client } of generations) client.close();
      generations.clear();
    },
  };
}
