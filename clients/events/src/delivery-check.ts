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
export class DeliveryCheck {
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
