import { FairLimiter, Limit, type CallKind, type Waiting } from '@survey/process/fair-limiter.ts';

/** Limits concurrent work, in total and per account; accounts take turns. */
export class AccountSlots {
  readonly #limiter = new FairLimiter();
  readonly #limit: Limit;
  // Calls with the same object share a queue.
  readonly #kind: CallKind;

  constructor({ max, maxPerAccount }: { max: number; maxPerAccount: number }) {
    this.#limit = new Limit({
      maxConcurrent: max,
      maxConcurrentPerAccount: maxPerAccount,
      maxQueued: Infinity,
      maxQueuedPerAccount: Infinity,
    });
    this.#kind = [this.#limit];
  }

  get hasCapacity(): boolean {
    return this.#limit.hasCapacity;
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
