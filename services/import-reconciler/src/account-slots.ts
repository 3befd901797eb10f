import { FairLimiter, Limit, type CallKind, type Waiting } from '@survey/process/fair-limiter.ts';

/**
 * Limits concurrent work, in total and per account; accounts take turns. Work with a limit of its
 * own, such as a long import, also needs a slot of the whole, but holds none while it waits.
 */
export class AccountSlots {
  readonly #limiter: FairLimiter;
  readonly #limit: Limit;
  // Calls with the same object share a queue.
  readonly #kind: CallKind;

  constructor({ max, maxPerAccount, partOf }: { max: number; maxPerAccount: number; partOf?: AccountSlots }) {
    this.#limiter = partOf === undefined ? new FairLimiter() : partOf.#limiter;
    this.#limit = new Limit({
      maxConcurrent: max,
      maxConcurrentPerAccount: maxPerAccount,
      maxQueued: Infinity,
      maxQueuedPerAccount: Infinity,
    });
    this.#kind = partOf === undefined ? [this.#limit] : [this.#limit, ...partOf.#kind];
  }

  /** Whether a slot is free and nothing waits for it. */
  get hasCapacity(): boolean {
    return this.#limit.hasCapacity && this.#limit.queued.total === 0;
  }

  /**
   * Runs the work once a slot is free.
   * @throws QueueTimeoutError, or the reason of the signal when it is aborted first
   */
  async run<T>(accountId: number, work: () => Promise<T>, waiting?: Waiting): Promise<T> {
    using _slot = await this.#limiter.acquire({ accountId, kind: this.#kind, weight: 1 }, waiting);
    return await work();
  }
}
