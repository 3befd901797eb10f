import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type ConsumerConfig,
  type JsMsg,
} from '@nats-io/jetstream';
import { EVENTS, isEventSubject, type EventSubject } from '@survey/bus/events.ts';

const STREAM = 'EVENTS';
const ACK_WAIT_NS = 60_000_000_000;

/** A connection of @nats-io/transport-node. */
type Connection = Parameters<typeof jetstream>[0];

export interface ConsumeOptions {
  /**
   * Name of the consumer. Processes with the same name share its events, and it keeps its
   * position.
   */
  readonly durable: string;
  /** Subjects of a new consumer. Default: all. */
  readonly subjects?: readonly EventSubject[] | undefined;
  /** Only this account's events are returned; the others are acknowledged. */
  readonly accountId?: number | undefined;
  /** Position in the stream at which a new consumer begins. Default: the oldest event. */
  readonly fromPosition?: number | undefined;
  /**
   * Called when numbers of `ce-sequence` are missing. Meaningful for one process that receives all
   * subjects.
   */
  readonly onGap?: ((gap: SequenceGap) => void) | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

interface Delivered {
  /** Position in the stream. */
  readonly position: number;
  readonly id: string;
  readonly source: string;
  readonly sequence: number;
  /** RFC 3339. */
  readonly time: string;
  readonly accountId: number;
  /** Confirms that the event is processed. */
  ack(): void;
  /** Has the event delivered again after the delay. */
  retry(delayMs?: number): void;
}

/** An event; `subject` determines the type of `payload`. */
export type SurveyEvent = {
  [S in EventSubject]: Delivered & { readonly subject: S; readonly payload: ReturnType<(typeof EVENTS)[S]['decode']> };
}[EventSubject];

/**
 * Iterates over the events, the stored ones first, until `signal` is aborted. Events that this
 * process has acknowledged, and subjects that this version does not know, are skipped. An event
 * that is not acknowledged within 60 s is delivered again.
 */
export async function* consumeEvents(bus: Connection, options: ConsumeOptions): AsyncGenerator<SurveyEvent, void> {
  const { durable, signal, accountId, onGap } = options;
  await createConsumer(bus, options);
  const messages = await (await jetstream(bus).consumers.get(STREAM, durable)).consume();
  const stop = (): void => messages.stop();
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const check = new DeliveryCheck();
  try {
    for await (const message of messages) {
      const event = read(message, check);
      const isWanted = event !== undefined && (accountId === undefined || event.accountId === accountId);
      if (!isWanted || check.isDuplicate(event.source, event.id)) {
        message.ack();
        continue;
      }
      const gap = check.gapBefore(event);
      if (gap !== undefined) onGap?.(gap);
      yield event;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

// An existing consumer keeps its position and subjects.
async function createConsumer(bus: Connection, options: ConsumeOptions): Promise<void> {
  // The check would ask for more than the permissions in docs/events.md.
  const { consumers } = await jetstreamManager(bus, { checkAPI: false });
  const { durable } = options;
  await consumers.info(STREAM, durable).catch((error: unknown) => {
    if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound)) throw error;
    return consumers.add(STREAM, consumerConfig(options));
  });
}

function consumerConfig({ durable, subjects, fromPosition }: ConsumeOptions): Partial<ConsumerConfig> {
  const start =
    fromPosition === undefined
      ? { deliver_policy: DeliverPolicy.All }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: fromPosition };
  return {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_NS,
    ...(subjects && { filter_subjects: [...subjects] }),
    ...start,
  };
}

function read(message: JsMsg, check: DeliveryCheck): SurveyEvent | undefined {
  const { seq, subject, data } = message;
  if (!isEventSubject(subject)) return undefined;
  const header = (name: string): string => message.headers?.get(name) ?? '';
  const [id, source] = [header('ce-id'), header('ce-source')];
  const event = {
    subject,
    payload: EVENTS[subject].decode(data),
    position: seq,
    id,
    source,
    sequence: Number(header('ce-sequence')),
    time: header('ce-time'),
    accountId: Number(header('ce-subject')),
    ack: () => {
      check.acknowledge(source, id);
      message.ack();
    },
    retry: (delayMs?: number) => message.nak(delayMs),
  };
  // EVENTS maps each subject to the type of its payload.
  return event as SurveyEvent;
}

const MAX_KEPT_IDS = 10_000;

/** Numbers of `ce-sequence` that did not arrive before a later one. */
export interface SequenceGap {
  readonly accountId: number;
  readonly source: string;
  readonly first: number;
  readonly last: number;
}

interface Numbered {
  readonly accountId: number;
  readonly source: string;
  readonly sequence: number;
}

/** Detects duplicates and gaps in the events that one process receives. */
class DeliveryCheck {
  readonly #acknowledged = new Set<string>();
  // Highest number received, by account and source.
  readonly #highest = new Map<string, number>();

  isDuplicate(source: string, id: string): boolean {
    return this.#acknowledged.has(`${source} ${id}`);
  }

  /** Marks an event as processed. Keeps the newest 10,000. */
  acknowledge(source: string, id: string): void {
    this.#acknowledged.add(`${source} ${id}`);
    const [oldest] = this.#acknowledged;
    if (this.#acknowledged.size > MAX_KEPT_IDS && oldest !== undefined) this.#acknowledged.delete(oldest);
  }

  /** Returns the numbers missing between this event and the highest one before it. */
  gapBefore({ accountId, source, sequence }: Numbered): SequenceGap | undefined {
    const counter = `${accountId} ${source}`;
    const highest = this.#highest.get(counter) ?? sequence - 1;
    this.#highest.set(counter, Math.max(highest, sequence));
    return sequence > highest + 1 ? { accountId, source, first: highest + 1, last: sequence - 1 } : undefined;
  }
}
