/** Counts per account, and their total. */
export class AccountCounts {
  total = 0;
  readonly #counts = new Map<number, number>();

  of(accountId: number): number {
    return this.#counts.get(accountId) ?? 0;
  }

  add(accountId: number, change: number): void {
    const count = this.of(accountId) + change;
    if (count === 0) this.#counts.delete(accountId);
    else this.#counts.set(accountId, count);
    this.total += change;
  }
}

interface LimitOptions {
  /** Maximum running calls, over all accounts and per account. */
  readonly maxConcurrent: number;
  readonly maxConcurrentPerAccount: number;
  /** Maximum queued calls, over all accounts and per account. */
  readonly maxQueued: number;
  readonly maxQueuedPerAccount: number;
}

/** A concurrency limit on calls of one kind. */
export class Limit {
  readonly running = new AccountCounts();
  readonly queued = new AccountCounts();
  readonly #options: LimitOptions;

  constructor(options: LimitOptions) {
    this.#options = options;
  }

  get hasCapacity(): boolean {
    return this.running.total < this.#options.maxConcurrent;
  }

  hasCapacityFor(accountId: number): boolean {
    return this.hasCapacity && this.running.of(accountId) < this.#options.maxConcurrentPerAccount;
  }

  /** @throws QueueFullError when the queue of the account, or of all accounts, is full. */
  assertQueueHasRoom(accountId: number): void {
    if (this.queued.of(accountId) >= this.#options.maxQueuedPerAccount) throw new QueueFullError(true);
    if (this.queued.total >= this.#options.maxQueued) throw new QueueFullError(false);
  }
}

/**
 * The limits of a call, which needs a slot of each at the same time. Calls with the same object
 * share a queue.
 */
export type CallKind = readonly Limit[];

export interface LimitedCall {
  readonly accountId: number;
  readonly kind: CallKind;
  /** Cost of the call to the account's share; 1 is a small read. */
  readonly weight: number;
}

/** The slots of a running call, one per limit. Disposing of them twice has no effect. */
export interface Slots extends Disposable {
  /** Frees all slots except the one of this limit. */
  keepOnly(limit: Limit): void;
}

/** How a call waits in the queue. */
export interface Waiting {
  /** Aborting ends the wait in the queue, not a running call. */
  readonly signal?: AbortSignal;
  /** Longest wait; absent: unlimited. */
  readonly timeoutMs?: number;
  /** Called whenever the position of this call in the queue changes; 1 is next. */
  readonly onPosition?: (position: number) => void;
}

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  readonly isOfAccount: boolean;

  constructor(isOfAccount: boolean) {
    super(isOfAccount ? 'the queue of the account is full' : 'the queue of all accounts is full');
    this.isOfAccount = isOfAccount;
  }
}

export class QueueTimeoutError extends Error {
  override readonly name = 'QueueTimeoutError';
}

type Start = () => void;

/**
 * Admits calls within their limits, fairly between accounts: the account that has used the least
 * weight is next, so an account with many calls delays only itself. A queued call holds no slots.
 */
export class FairLimiter {
  // By kind, then by account; calls of one queue start in order of arrival.
  readonly #queues = new Map<CallKind, Map<number, Set<Start>>>();
  readonly #queued = new AccountCounts();
  // Weight used by each account with queued calls. An account begins at the virtual time, which is
  // the weight of the one served last (start-time fair queuing).
  readonly #usedWeights = new Map<number, number>();
  #virtualTime = 0;
  readonly #positionListeners = new Map<Start, (position: number) => void>();

  /**
   * Resolves when the call may run.
   * @throws QueueFullError, QueueTimeoutError, or the reason of the signal when it is aborted
   */
  async acquire(call: LimitedCall, waiting: Waiting = {}): Promise<Slots> {
    waiting.signal?.throwIfAborted();
    const { accountId, kind } = call;
    const isNext = !this.#queues.get(kind)?.has(accountId) && hasCapacityFor(kind, accountId);
    if (isNext) return this.#start(call);
    for (const limit of kind) limit.assertQueueHasRoom(accountId);
    return this.#wait(call, waiting);
  }

  #wait(call: LimitedCall, { signal, timeoutMs, onPosition }: Waiting): Promise<Slots> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', leave);
        this.#positionListeners.delete(start);
        this.#dequeue(call, start);
      };
      const giveUp = (reason: unknown): void => {
        end();
        reject(reason);
      };
      const leave = (): void => giveUp(signal?.reason);
      const start = (): void => {
        this.#charge(call);
        end();
        resolve(this.#start(call));
      };
      const expire = (): void => giveUp(new QueueTimeoutError('no slot was free in time'));
      const timeout = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
      signal?.addEventListener('abort', leave, { once: true });
      if (onPosition !== undefined) this.#positionListeners.set(start, onPosition);
      this.#enqueue(call, start);
    });
  }

  #enqueue({ accountId, kind }: LimitedCall, start: Start): void {
    const accounts = getOrInsert(this.#queues, kind, () => new Map<number, Set<Start>>());
    getOrInsert(accounts, accountId, () => new Set<Start>()).add(start);
    getOrInsert(this.#usedWeights, accountId, () => this.#virtualTime);
    this.#countQueued(accountId, kind, 1);
  }

  #dequeue({ accountId, kind }: LimitedCall, start: Start): void {
    const accounts = this.#queues.get(kind);
    const queue = accounts?.get(accountId);
    queue?.delete(start);
    if (queue?.size === 0) accounts?.delete(accountId);
    if (accounts?.size === 0) this.#queues.delete(kind);
    this.#countQueued(accountId, kind, -1);
    if (this.#queued.of(accountId) === 0) this.#usedWeights.delete(accountId);
  }

  #countQueued(accountId: number, kind: CallKind, change: number): void {
    this.#queued.add(accountId, change);
    for (const { queued } of kind) queued.add(accountId, change);
    if (this.#positionListeners.size > 0) this.#reportPositions();
  }

  // Positions are reported as if every queued call weighed 1.
  #reportPositions(): void {
    const order = [...this.#queues.values()].flatMap((accounts) =>
      [...accounts].flatMap(([accountId, calls]) =>
        [...calls].map((start, index) => ({ start, turn: (this.#usedWeights.get(accountId) ?? 0) + index })),
      ),
    );
    order.sort((one, other) => one.turn - other.turn);
    for (const [index, { start }] of order.entries()) this.#positionListeners.get(start)?.(index + 1);
  }

  #charge({ accountId, weight }: LimitedCall): void {
    const used = this.#usedWeights.get(accountId);
    if (used === undefined) return;
    this.#virtualTime = Math.max(this.#virtualTime, used);
    this.#usedWeights.set(accountId, used + weight);
  }

  #start({ accountId, kind }: LimitedCall): Slots {
    const slots = new Set(kind);
    for (const { running } of kind) running.add(accountId, 1);
    const free = (freed: readonly Limit[]): void => {
      for (const limit of freed) if (slots.delete(limit)) limit.running.add(accountId, -1);
      this.#dispatch();
    };
    return {
      keepOnly: (kept) => free(kind.filter((limit) => limit !== kept)),
      [Symbol.dispose]: () => free(kind),
    };
  }

  #dispatch(): void {
    for (let start = this.#next(); start !== undefined; start = this.#next()) start();
  }

  // Hot path: runs once per call of a saturated gateway, over all accounts with queued calls.
  #next(): Start | undefined {
    let queue: Set<Start> | undefined;
    let least = Infinity;
    for (const [kind, accounts] of this.#queues) {
      if (!kind.every(({ hasCapacity }) => hasCapacity)) continue;
      for (const [accountId, calls] of accounts) {
        const used = this.#usedWeights.get(accountId) ?? 0;
        if (used >= least || !hasCapacityFor(kind, accountId)) continue;
        least = used;
        queue = calls;
      }
    }
    const [first] = queue ?? [];
    return first;
  }
}

const hasCapacityFor = (kind: CallKind, accountId: number): boolean => kind.every((limit) => limit.hasCapacityFor(accountId));

function getOrInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
