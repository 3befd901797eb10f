import { jetstream } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { EncodedFactBatch, Fact } from '@survey/proto/intake/v1/intake.ts';
import type { FactKind } from '../streams.ts';

const MAX_FACTS = 1_000;
// Half of nats-server's default maximum message size.
const MAX_BYTES = 512 * 1024;
// Bytes in addition to the facts: tag and length of each, and once the account and the source.
const FACT_OVERHEAD = 6;
const BATCH_OVERHEAD = 256;

/** Collects encoded facts until they fill a message. A larger fact becomes a message of its own. */
export class FactBuffer {
  #facts: Uint8Array[] = [];
  #bytes = BATCH_OVERHEAD;

  /** Adds a fact. Returns the facts of a message when this one fills it or no longer fits. */
  add(fact: Uint8Array): Uint8Array[] | undefined {
    const bytes = fact.byteLength + FACT_OVERHEAD;
    const full = this.#facts.length > 0 && this.#bytes + bytes > MAX_BYTES ? this.take() : undefined;
    this.#facts.push(fact);
    this.#bytes += bytes;
    return full ?? (this.#facts.length === MAX_FACTS ? this.take() : undefined);
  }

  /** Returns the remaining facts, possibly none. */
  take(): Uint8Array[] {
    const facts = this.#facts;
    this.#facts = [];
    this.#bytes = BATCH_OVERHEAD;
    return facts;
  }
}

interface FactSource {
  accountId: number;
  // Name of these facts, used to look up which were rejected: unique per publisher.
  source: string;
}

/** Published messages of one kind. */
export interface PublishedKind {
  messages: number;
  lastSequence: number;
}

const MAX_IN_FLIGHT = 8;
const ATTEMPTS = 5;
const RETRY_MS = 1_000;
const ACK_TIMEOUT_MS = 10_000;

/**
 * Publishes facts of one account on INTAKE: up to 1,000 of a kind and 512 KiB per message, with a
 * bounded number in flight. A fact published again after a lost acknowledgement may be stored
 * twice, which changes nothing. Throws, possibly later, when the bus accepts no more messages.
 */
export class FactPublisher {
  readonly published = new Map<FactKind, PublishedKind>();
  readonly #bus: NatsConnection;
  readonly #origin: FactSource;
  readonly #buffers = new Map<FactKind, FactBuffer>();
  readonly #inFlight = new Set<Promise<void>>();
  #messages = 0;
  #failure: unknown;

  constructor(bus: NatsConnection, origin: FactSource) {
    this.#bus = bus;
    this.#origin = origin;
  }

  /** Resolves when there is room for the next fact, not when this one is stored. */
  async add(kind: FactKind, fact: Fact): Promise<void> {
    await this.addEncoded(kind, Fact.encode(fact).finish());
  }

  /** Adds an already encoded fact. */
  async addEncoded(kind: FactKind, fact: Uint8Array): Promise<void> {
    const full = this.#buffer(kind).add(fact);
    if (full !== undefined) await this.#send(kind, full);
  }

  /** Resolves when all added facts are stored. */
  async flush(): Promise<void> {
    for (const [kind, buffer] of this.#buffers) {
      const rest = buffer.take();
      if (rest.length > 0) await this.#send(kind, rest);
    }
    await Promise.all(this.#inFlight);
    this.#throwIfFailed();
  }

  #buffer(kind: FactKind): FactBuffer {
    const buffer = this.#buffers.get(kind) ?? new FactBuffer();
    this.#buffers.set(kind, buffer);
    return buffer;
  }

  async #send(kind: FactKind, facts: Uint8Array[]): Promise<void> {
    while (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight);
    this.#throwIfFailed();
    const sending = this.#publish(kind, facts).catch((error: unknown) => {
      this.#failure ??= error;
    });
    const tracked = sending.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }

  #throwIfFailed(): void {
    if (this.#failure !== undefined) throw new Error('NATS did not accept a message', { cause: this.#failure });
  }

  async #publish(kind: FactKind, facts: Uint8Array[]): Promise<void> {
    const { accountId, source } = this.#origin;
    const payload = EncodedFactBatch.encode({
      account_id: accountId,
      source,
      facts: facts.map((fact) => Buffer.from(fact.buffer, fact.byteOffset, fact.byteLength)),
    }).finish();
    const id = `${source}-${(this.#messages += 1)}`;
    const sequence = await publishOnce(this.#bus, { subject: `intake.${kind}.${accountId}`, accountId, id, source, payload });
    const { messages = 0, lastSequence = 0 } = this.published.get(kind) ?? {};
    this.published.set(kind, { messages: messages + 1, lastSequence: Math.max(lastSequence, sequence) });
  }
}

interface Message {
  subject: string;
  accountId: number;
  id: string;
  source: string;
  payload: Uint8Array;
}

async function publishOnce(bus: NatsConnection, message: Message): Promise<number> {
  const stream = jetstream(bus, { timeout: ACK_TIMEOUT_MS });
  const headers = cloudEvent(message);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // One id per attempt: the server may report a retry as a duplicate of a message that it has
      // lost. Facts may be stored twice.
      const msgID = `${message.id}-${attempt}`;
      const { seq } = await stream.publish(message.subject, message.payload, { msgID, headers });
      return seq;
    } catch (error) {
      if (attempt === ATTEMPTS || bus.isClosed()) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function cloudEvent({ accountId, id, source }: Message) {
  const meta = headers();
  meta.set('ce-id', id);
  meta.set('ce-source', source);
  meta.set('ce-type', 'survey.intake.v1.FactBatch');
  meta.set('ce-subject', String(accountId));
  meta.set('ce-time', new Date().toISOString());
  return meta;
}
