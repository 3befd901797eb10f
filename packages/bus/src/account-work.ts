import { AccountClosedError } from '@survey/postgres/account-rows.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { claimDue, endClaim, markDue, type ClaimedWork, type DueSchema } from '@survey/postgres/due.ts';
import { initializeToZero, counter } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { subscribe } from './broadcast.ts';
import type { BusConnection } from './connection.ts';
import { EVENTS, type EventSubject } from './events.ts';

/** One kind of background work, done per account. */
export interface AccountWork {
  readonly kind: string;
  /** The event of an account that makes its work due. */
  readonly wokenBy?: EventSubject;
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
  readonly mark: (kinds: readonly string[], accountId: number) => Promise<void>;
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
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 60 * 60_000;

/**
 * Does accounts' background work when it is due, in turns of bounded time. A failure delays only
 * that account and kind, with backoff, and is logged and counted. Sweeps at the start, every ten
 * minutes, and when the bus reconnects, because its events make work due.
 */
export function startAccountWork(
  options: AccountWorkOptions,
  works: readonly AccountWork[],
  context: ServiceContext,
): AccountWorker {
  const { pool, schema, bus, pollMs } = options;
  const { log, metrics, resources } = context;
  const byKind = new Map(works.map((work) => [work.kind, work]));
  const outcomes = counter(metrics, {
    name: 'account_work_total',
    help: 'Background work of accounts, by kind and outcome: done, or failed and retried later.',
    labelNames: ['kind', 'outcome'],
  });
  initializeToZero(
    outcomes,
    works.flatMap(({ kind }) => ['done', 'failed'].map((outcome) => ({ kind, outcome }))),
  );
  const running = new Map<Promise<void>, string>();
  let stopped = false;
  let sweptAt = -Infinity;
  let isWoken = false;
  let wake = (): void => {};

  const turn = async (claimed: ClaimedWork): Promise<void> => {
    const { kind, accountId, attempts } = claimed;
    const startedAt = performance.now();
    try {
      let againInMs: number | undefined = 0;
      while (againInMs === 0 && !stopped && performance.now() - startedAt < TURN_MS)
        againInMs = await byKind.get(kind)?.work(accountId);
      outcomes.inc({ kind, outcome: 'done' });
      await endClaim(pool, schema, { ...claimed, attempts: 0 }, againInMs);
    } catch (error) {
      // Its data is deleted: a retry would fail forever.
      if (error instanceof AccountClosedError) return endClaim(pool, schema, claimed, undefined);
      outcomes.inc({ kind, outcome: 'failed' });
      const againInMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempts);
      log.warn(
        { err: error, account_id: accountId, kind, attempts: attempts + 1, retry_in_ms: againInMs },
        'background work of an account failed',
      );
      await endClaim(pool, schema, { ...claimed, attempts: Math.min(attempts + 1, 100) }, againInMs);
    }
  };
  const begin = (claimed: ClaimedWork): void => {
    const done = turn(claimed)
      .catch((error: unknown) => {
        log.warn({ err: error, kind: claimed.kind }, 'outcome of background work not stored');
        sweptAt = -Infinity;
      })
      .finally(() => {
        running.delete(done);
        look();
      });
    running.set(done, claimed.kind);
  };
  const freeSlots = (): Map<string, number> => {
    const counts = Map.groupBy(running.values(), (kind) => kind);
    const free = works.map(
      ({ kind, concurrency = CONCURRENCY }) => [kind, concurrency - (counts.get(kind)?.length ?? 0)] as const,
    );
    return new Map(free.filter(([, slots]) => slots > 0));
  };
  const look = (): void => {
    isWoken = true;
    wake();
  };
  // Work that is already due does not wait for the sweep.
  const sweepAll = async (): Promise<void> => {
    try {
      for (const { kind, sweep } of works) await markDue(pool, schema, kind, await sweep(pool));
      sweptAt = performance.now();
    } catch (error) {
      log.warn({ err: error }, 'sweep for background work failed');
    }
  };
  const loop = async (): Promise<void> => {
    let wasConnected = false;
    while (!stopped) {
      isWoken = false;
      try {
        const isConnected = bus.current() !== undefined;
        if ((isConnected && !wasConnected) || performance.now() - sweptAt > SWEEP_INTERVAL_MS) await sweepAll();
        wasConnected = isConnected;
        const free = freeSlots();
        if (free.size > 0) for (const claimed of await claimDue(pool, schema, free)) begin(claimed);
      } catch (error) {
        log.warn({ err: error }, 'background work not found');
      }
      if (isWoken || stopped) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const looping = loop();
  resources.defer(async () => {
    stopped = true;
    wake();
    await looping;
    await Promise.all(running.keys());
  });
  const mark = async (kinds: readonly string[], accountId: number): Promise<void> => {
    try {
      for (const kind of kinds) await markDue(pool, schema, kind, [accountId]);
      look();
    } catch (error) {
      log.warn({ err: error, account_id: accountId }, 'background work not marked');
    }
  };
  for (const { kind, wokenBy } of works)
    if (wokenBy !== undefined)
      resources.use(
        subscribe(bus, wokenBy, (payload) => {
          void mark([kind], EVENTS[wokenBy].decode(payload).account_id);
        }),
      );
  return { wake: look, mark };
}
