export interface Waiting {
  /** Aborting ends the wait in the queue, not running work. */
  readonly signal?: AbortSignal;
  /** Called whenever the position of this work in the queue changes; 1 is next. */
  readonly onPosition?: (position: number) => void;
}

interface Queued {
  readonly start: () => void;
  readonly onPosition: Waiting['onPosition'];
}

/**
 * Limits concurrent work, in total and per account. Serves accounts round-robin and keeps the order
 * within each account.
 */
export class FairLimiter {
  readonly #max: number;
  readonly #maxPerAccount: number;
  #running = 0;
  readonly #runningOf = new Map<number, number>();
  // Iteration order is the round-robin order: the next account comes first.
  readonly #queues = new Map<number, Queued[]>();

  constructor(limits: { max: number; maxPerAccount: number }) {
    this.#max = limits.max;
    this.#maxPerAccount = limits.maxPerAccount;
  }

  get hasCapacity(): boolean {
    return this.#running < this.#max;
  }

  /**
   * Runs the work once a slot is free.
   * @throws the reason of `signal` when it is aborted first
   */
  async run<T>(accountId: number, work: () => Promise<T>, waiting: Waiting = {}): Promise<T> {
    waiting.signal?.throwIfAborted();
    if (this.#mayStart(accountId)) this.#take(accountId);
    else await this.#enqueue(accountId, waiting);
    try {
      return await work();
    } finally {
      this.#release(accountId);
    }
  }

  #mayStart(accountId: number): boolean {
    return this.hasCapacity && (this.#runningOf.get(accountId) ?? 0) < this.#maxPerAccount;
  }

  #take(accountId: number): void {
    this.#running += 1;
    this.#runningOf.set(accountId, (this.#runningOf.get(accountId) ?? 0) + 1);
  }

  #release(accountId: number): void {
    this.#running -= 1;
    const left = (this.#runningOf.get(accountId) ?? 1) - 1;
    if (left > 0) this.#runningOf.set(accountId, left);
    else this.#runningOf.delete(accountId);
    this.#startNext();
  }

  async #enqueue(accountId: number, { signal, onPosition }: Waiting): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const queued: Queued = { start: resolve, onPosition };
    const queue = this.#queues.get(accountId) ?? [];
    this.#queues.set(accountId, queue);
    queue.push(queued);
    const leave = (): void => {
      this.#remove(accountId, queued);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#tellPositions();
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  #startNext(): void {
    for (const [accountId, queue] of this.#queues) {
      const [next] = queue;
      if (next === undefined || !this.#mayStart(accountId)) continue;
      this.#remove(accountId, next);
      // Moves the account to the end of the round-robin order.
      if (queue.length > 0) {
        this.#queues.delete(accountId);
        this.#queues.set(accountId, queue);
      }
      this.#take(accountId);
      next.start();
      break;
    }
    this.#tellPositions();
  }

  #remove(accountId: number, queued: Queued): void {
    const queue = this.#queues.get(accountId) ?? [];
    const at = queue.indexOf(queued);
    if (at >= 0) queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(accountId);
    this.#tellPositions();
  }

  #tellPositions(): void {
    const queues = [...this.#queues.values()];
    for (const [turn, queue] of queues.entries()) {
      for (const [rounds, { onPosition }] of queue.entries()) {
        onPosition?.(1 + queues.reduce((before, other, at) => before + Math.min(other.length, rounds + (at < turn ? 1 : 0)), 0));
      }
    }
  }
}
