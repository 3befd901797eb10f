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
