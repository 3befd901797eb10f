import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, errors, type NatsConnection, type NodeConnectionOptions, type Subscription } from '@nats-io/transport-node';
import { Gauge } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { readBusUrl } from './bus-url.ts';

const RETRY_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;

/** A service's connection to the bus. A service starts and serves while the bus is unavailable. */
export interface BusConnection {
  // Undefined while the bus is unavailable. A permanently closed connection is replaced.
  current(): NatsConnection | undefined;
  // Calls `use` with each new connection.
  whenConnected(use: (bus: NatsConnection) => Promise<void>): void;
}

/** Opens the bus and keeps it open until the service stops. @throws when `url` is malformed */
export function openBus(url: string, name: string, context: ServiceContext): BusConnection {
  const bus = new SupervisedBus({ ...readBusUrl(url), name }, context);
  const running = bus.run();
  // A rollout with a wrong password stops at its first pod; running pods keep serving requests that
  // do not need the bus.
  context.readyChecks.push(() => !bus.isRejected());
  context.resources.defer(async () => {
    await bus.close();
    await running;
  });
  const connected: Gauge = new Gauge({
    name: 'bus_connected',
    help: 'Whether NATS is connected: 1 or 0.',
    registers: [context.metrics],
    collect: () => connected.set(bus.current() === undefined ? 0 : 1),
  });
  return bus;
}

class SupervisedBus implements BusConnection {
  readonly #options: NodeConnectionOptions;
  readonly #log: ServiceContext['log'];
  readonly #closing = new AbortController();
  readonly #uses: ((bus: NatsConnection) => Promise<void>)[] = [];
  #connection: NatsConnection | undefined;
  #isAway = true;
  #isRejected = false;
  #wasAccepted = false;

  constructor(options: NodeConnectionOptions, { log }: ServiceContext) {
    this.#options = options;
    this.#log = log;
  }

  current(): NatsConnection | undefined {
    return this.#isAway ? undefined : this.#connection;
  }

  /**
   * Whether the server has rejected the credentials since the service started, and never accepted
   * them.
   */
  isRejected(): boolean {
    return this.#isRejected;
  }

  whenConnected(use: (bus: NatsConnection) => Promise<void>): void {
    this.#uses.push(use);
    if (this.#connection !== undefined) this.#use(this.#connection, use);
  }

  /**
   * Resolves when the bus is closed. The client gives up after two equal authorization errors, so a
   * new connection replaces it.
   */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const connection = await this.#connect();
      if (connection === undefined) return;
      if (signal.aborted) return connection.close();
      this.#connection = connection;
      this.#isAway = false;
      this.#log.info('bus connected');
      const following = this.#follow(connection);
      for (const use of this.#uses) this.#use(connection, use);
      const error = await connection.closed();
      await following;
      this.#connection = undefined;
      this.#isAway = true;
      if (!signal.aborted) this.#log.warn({ err: error }, 'bus connection closed');
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
  }

  // We do not use the client's waitOnFirstConnect, because it cannot be stopped, and a stopping
  // process would wait for the bus.
  async #connect(): Promise<NatsConnection | undefined> {
    const { signal } = this.#closing;
    let reported = '';
    while (!signal.aborted) {
      try {
        const connection = await connectOnce(this.#options);
        this.#isRejected = false;
        this.#wasAccepted = true;
        return connection;
      } catch (error) {
        this.#isRejected = !this.#wasAccepted && isRejection(error);
        const reason = String(error);
        // Once per reason, not at every retry.
        if (reason !== reported) this.#log.warn({ err: error }, 'bus unavailable');
        reported = reason;
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'reconnect') {
        this.#isAway = status.type === 'disconnect';
        if (this.#isAway) this.#log.warn('bus disconnected');
        else this.#log.info('bus reconnected');
      } else if (status.type === 'error' && isRejection(status.error)) {
        this.#log.warn({ err: status.error }, 'bus credentials rejected');
      }
    }
  }

  #use(connection: NatsConnection, use: (bus: NatsConnection) => Promise<void>): void {
    use(connection).catch((error: unknown) => {
      if (!connection.isClosed()) this.#log.error({ err: error }, 'bus subscription failed');
    });
  }
}

function isRejection(error: unknown): boolean {
  return error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;
}

function connectOnce(options: NodeConnectionOptions): Promise<NatsConnection> {
  return connect({
    ...options,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    // With the default of 2 min, a frozen server is detected only after 4 min.
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: CONNECT_TIMEOUT_MS,
  });
}

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

export interface ToolConnection extends AsyncDisposable {
  bus: NatsConnection;
}

/**
 * Connects to the bus for one command; unlike a service, it fails at once when the bus is
 * unavailable.
 * @throws when INTAKE does not exist
 */
export async function connectTool(url: string, name: string): Promise<ToolConnection> {
  const bus = await connect({ ...readBusUrl(url), name, timeout: CONNECT_TIMEOUT_MS, maxReconnectAttempts: 30 });
  try {
    const manager = await jetstreamManager(bus);
    await manager.streams.info('INTAKE');
  } catch (error) {
    await bus.close();
    throw error;
  }
  return { bus, [Symbol.asyncDispose]: () => bus.close() };
}
