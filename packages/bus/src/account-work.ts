import { AccountClosedError } from '@survey/postgres/account-rows.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { claimDue, endClaim, markDue, type ClaimedWork, type DueSchema } from '@survey/postgres/due.ts';
import { initializeToZero, counter, type Counter } from '@survey/process/metrics.ts';
import { repeat, type Repetition } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { subscribe, type BusConnection } from './connection.ts';
import { EVENTS, type EventSubject } from './events.ts';

// How background work is done, from erasures to the masking of a new policy.
//
// Row: whoever makes work necessary marks it as due, with `markDue` in the same transaction. That
// is a row of the service's table `due`, which names the kind of work and the account and nothing
// else: the work itself finds out what there is to do. So rows can be merged, and a needless one
// costs one look.
//
// Wake-up message: workers look for due rows every few seconds, and at once when an event says
// that another service has changed something. The event may be lost, because nothing but speed
// depends on it.
//
// Lease: a worker claims an account's work by replacing its rows with one that is due again in ten
// minutes. If the process dies, the work is found then; if it is only slow, two processes may do
// the same work, so every kind of work must allow that. The worker deletes its row when nothing is
// left, or sets its time: at once after a turn of five seconds, because other accounts wait, and
// later each time after an error, which delays only this account and kind.
//
// Sweep: a row may be missing, because an event was lost or a restored backup is older than it. At
// the start, every ten minutes, and when the bus reconnects, each kind of work looks through the
// data itself for accounts that need it, and marks them.
//
// Imports have a row of their own instead of `due`, because a client waits for each of them
// (apply/import-lifecycle.ts of import-reconciler); messages have the outbox (outbox.ts).

/** One kind of background work, done per account. */
export interface AccountWork {
  readonly kind: string;
  /** The event of an account that makes its work due. */
  readonly wokenBy?: EventSubject;
  /** Whether such an event makes work due; absent: every one does. */
  readonly isDueAfter?: (event: Uint8Array) => Promise<boolean>;
  /** Maximum number of accounts processed concurrently; default 2. */
  readonly concurrency?: number;
  /**
   * Does part of the pending work, within seconds. Returns the milliseconds until there is more, 0
   * for immediately, or undefined when none is left.
   */
  readonly work: (accountId: number) => Promise<number | undefined>;
  /** Returns the accounts that have work, including work whose row was lost. */
  readonly sweep: (pool: Pool) => Promise<number[]>;
}

export interface AccountWorker {
  /** Looks for work now instead of at the next poll. */
  readonly wake: () => void;
  /** Marks work as due that no transaction of this service has marked, and looks for work. */
  mark(kinds: readonly string[], accountId: number): Promise<void>;
}

interface AccountWorkOptions {
  readonly pool: Pool;
  readonly schema: DueSchema;
  readonly bus: BusConnection;
  readonly pollMs: number;
}

const CONCURRENCY = 2;
// Time after which other accounts get a turn.
const TURN_MS = 5_000;
const SWEEP_INTERVAL_MS = 10 * 60_000;
// Time until a sweep that failed is repeated, as a multiple of the time that it took: soon after an
// outage, and seldom if it takes long, because other work waits for it.
const FAILED_SWEEP_PAUSE = 10;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 60 * 60_000;

/** Does accounts' background work when it is due. Failures are logged and counted. */
export function startAccountWork(
  options: AccountWorkOptions,
  works: readonly AccountWork[],
  context: ServiceContext,
): AccountWorker {
  const worker = new Worker(options, works, context);
  context.resources.use(worker);
  for (const { kind, wokenBy, isDueAfter } of works)
    if (wokenBy !== undefined)
      context.resources.use(
        subscribe(options.bus, wokenBy, (payload) => {
          void worker.mark([kind], EVENTS[wokenBy].decode(payload).account_id, () => isDueAfter?.(payload) ?? true);
        }),
      );
  return worker;
}

class Worker implements AccountWorker, AsyncDisposable {
  readonly #options: AccountWorkOptions;
  readonly #works: readonly AccountWork[];
  readonly #log: ServiceContext['log'];
  readonly #outcomes: Counter<'kind' | 'outcome'>;
  // Kinds by their running turns.
  readonly #running = new Map<Promise<void>, string>();
  readonly #looking: Repetition;
  readonly wake = (): void => this.#looking.wake();
  #isStopped = false;
  #wasConnected = false;
  // When each kind is swept next; absent: now.
  readonly #sweepAt = new Map<string, number>();

  constructor(options: AccountWorkOptions, works: readonly AccountWork[], { log, metrics }: ServiceContext) {
    this.#options = options;
    this.#works = works;
    this.#log = log;
    this.#outcomes = counter(metrics, {
      name: 'account_work_total',
      help: 'Background work of accounts, by kind and outcome: done, or failed and retried later.',
      labelNames: ['kind', 'outcome'],
    });
    initializeToZero(
      this.#outcomes,
      works.flatMap(({ kind }) => ['done', 'failed'].map((outcome) => ({ kind, outcome }))),
    );
    this.#looking = repeat(
      options.pollMs,
      () => this.#look(),
      (error) => log.warn({ err: error }, 'background work not found'),
    );
  }

  async mark(kinds: readonly string[], accountId: number, isDue?: () => Promise<boolean> | boolean): Promise<void> {
    const { pool, schema } = this.#options;
    try {
      if (isDue !== undefined && !(await isDue())) return;
      for (const kind of kinds) await markDue(pool, schema, kind, [accountId]);
      this.wake();
    } catch (error) {
      this.#log.warn({ err: error, account_id: accountId }, 'background work not marked');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#looking[Symbol.asyncDispose]();
    await Promise.all(this.#running.keys());
  }

  async #look(): Promise<void> {
    const { pool, schema, bus } = this.#options;
    const isConnected = bus.current() !== undefined;
    if (isConnected && !this.#wasConnected) this.#sweepAt.clear();
    this.#wasConnected = isConnected;
    for (const work of this.#works) if (performance.now() >= (this.#sweepAt.get(work.kind) ?? 0)) await this.#sweep(work);
    const free = this.#freeSlots();
    if (free.size > 0) for (const claimed of await claimDue(pool, schema, free)) this.#begin(claimed);
  }

  async #sweep({ kind, sweep }: AccountWork): Promise<void> {
    const { pool, schema } = this.#options;
    const startedAt = performance.now();
    let pauseMs = SWEEP_INTERVAL_MS;
    try {
      await markDue(pool, schema, kind, await sweep(pool));
    } catch (error) {
      pauseMs = FAILED_SWEEP_PAUSE * (performance.now() - startedAt);
      this.#log.warn({ err: error, kind }, 'sweep for background work failed');
    }
    this.#sweepAt.set(kind, performance.now() + pauseMs);
  }

  #freeSlots(): Map<string, number> {
    const counts = Map.groupBy(this.#running.values(), (kind) => kind);
    const free = this.#works.map(
      ({ kind, concurrency = CONCURRENCY }) => [kind, concurrency - (counts.get(kind)?.length ?? 0)] as const,
    );
    return new Map(free.filter(([, slots]) => slots > 0));
  }

  #begin(claimed: ClaimedWork): void {
    const done = this.#run(claimed)
      .catch((error: unknown) => {
        this.#log.warn({ err: error, kind: claimed.kind }, 'outcome of background work not stored');
        this.#sweepAt.delete(claimed.kind);
      })
      .finally(() => {
        this.#running.delete(done);
        this.wake();
      });
    this.#running.set(done, claimed.kind);
  }

  async #run(claimed: ClaimedWork): Promise<void> {
    const { pool, schema } = this.#options;
    const { kind } = claimed;
    try {
      const againInMs = await this.#workForOneTurn(claimed);
      this.#outcomes.inc({ kind, outcome: 'done' });
      await endClaim(pool, schema, { ...claimed, attempts: 0 }, againInMs);
    } catch (error) {
      // Its data is deleted: a retry would fail forever.
      if (error instanceof AccountClosedError) return endClaim(pool, schema, claimed, undefined);
      this.#outcomes.inc({ kind, outcome: 'failed' });
      const againInMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** claimed.attempts);
      const attempts = claimed.attempts + 1;
      this.#log.warn(
        { err: error, account_id: claimed.accountId, kind, attempts, retry_in_ms: againInMs },
        'background work of an account failed',
      );
      await endClaim(pool, schema, { ...claimed, attempts: Math.min(attempts, 100) }, againInMs);
    }
  }

  async #workForOneTurn({ kind, accountId }: ClaimedWork): Promise<number | undefined> {
    const work = this.#works.find((each) => each.kind === kind);
    const endsAt = performance.now() + TURN_MS;
    let againInMs: number | undefined = 0;
    while (againInMs === 0 && !this.#isStopped && performance.now() < endsAt) againInMs = await work?.work(accountId);
    return againInMs;
  }
}
