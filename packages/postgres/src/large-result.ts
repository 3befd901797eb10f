import { FairLimiter, Limit, type Slots } from '@survey/process/fair-limiter.ts';

/** Bytes that any result may have: a page of 1,000 employees has half as many. */
export const USUAL_RESULT_BYTES: number = 512 * 1024;

// A page of 16 MiB takes up to ten times as much memory until it is sent, and pods have 256 MiB.
const MAX_LARGE = 1;
const MAX_QUEUED = 16;
const MAX_QUEUED_PER_ACCOUNT = 4;
const LONGEST_WAIT_MS = 1_000;

const limiter = new FairLimiter();
const KIND = [
  new Limit({
    maxConcurrent: MAX_LARGE,
    maxConcurrentPerAccount: MAX_LARGE,
    maxQueued: MAX_QUEUED,
    maxQueuedPerAccount: MAX_QUEUED_PER_ACCOUNT,
  }),
];

/**
 * The rows that one request has read and not yet rendered. A process holds only a few large results
 * at a time; further requests wait, fairly between accounts.
 */
export class LargeResult implements Disposable {
  readonly #accountId: number;
  readonly #end = new AbortController();
  #slots: Promise<Slots> | undefined;

  constructor(accountId: number) {
    this.#accountId = accountId;
  }

  /** Resolves when the result may be large. Rejects if that takes too long. */
  async admit(): Promise<void> {
    const waiting = { signal: this.#end.signal, timeoutMs: LONGEST_WAIT_MS };
    this.#slots ??= limiter.acquire({ accountId: this.#accountId, kind: KIND, weight: 1 }, waiting);
    await this.#slots;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
    this.#slots?.then(
      (slots) => slots[Symbol.dispose](),
      () => undefined,
    );
  }
}
