import type { Log } from '@survey/process/log.ts';
import { LRUCache } from 'lru-cache';

interface AccountCacheOptions<V> {
  /** Maximum total size of all values. */
  readonly maxSize: number;
  readonly sizeOf: (value: V) => number;
  /** Milliseconds without a look-up after which a value is evicted; absent: never. */
  readonly maxIdleMs?: number;
}

/** Caches values by account within a maximum total size; evicts the least recently used first. */
export class AccountCache<V extends object> {
  readonly #values: LRUCache<number, V>;

  constructor({ maxSize, sizeOf, maxIdleMs }: AccountCacheOptions<V>) {
    const idle = maxIdleMs === undefined ? {} : { ttl: maxIdleMs, updateAgeOnGet: true, ttlAutopurge: true };
    this.#values = new LRUCache({ maxSize, sizeCalculation: (value) => Math.max(1, sizeOf(value)), ...idle });
  }

  /** Total size of all values. */
  get size(): number {
    return this.#values.calculatedSize;
  }

  get(accountId: number): V | undefined {
    return this.#values.get(accountId);
  }

  /**
   * Caches a value unless it is larger than the whole cache. Call it again when the value has
   * grown.
   */
  set(accountId: number, value: V): void {
    // LRUCache keeps its old size when the same object is set again.
    this.#values.delete(accountId);
    this.#values.set(accountId, value);
  }

  delete(accountId: number): void {
    this.#values.delete(accountId);
  }
}

/** Rows of an account as of change `sequence`, which only means something within its timeline. */
interface FollowingRows<C> {
  readonly timeline: number;
  readonly sequence: number;
  follow(changes: C): void;
}

/** A database snapshot with its changes after the cached rows, unless there are too many. */
interface ChangesSnapshot<C> {
  readonly timeline: number;
  readonly sequence: number;
  readonly changes: C | undefined;
}

interface CatchUpOptions<R> {
  readonly accountId: number;
  readonly cache: { updateSize(accountId: number, rows: R): void; drop(accountId: number): void };
  readonly log: Log;
}

/**
 * Updates cached rows to a database snapshot. Returns false if they are newer than the snapshot, or
 * were dropped because the changes since are too many or belong to another timeline.
 */
export function catchUp<C, R extends FollowingRows<C>>(
  cached: R,
  { timeline, sequence, changes }: ChangesSnapshot<C>,
  { accountId, cache, log }: CatchUpOptions<R>,
): boolean {
  if (timeline === cached.timeline && sequence <= cached.sequence) return sequence === cached.sequence;
  try {
    if (timeline !== cached.timeline) throw new Error('the timeline of the database has changed');
    if (changes === undefined) throw new Error('too many changes');
    cached.follow(changes);
    cache.updateSize(accountId, cached);
    return true;
  } catch (error) {
    log.warn({ err: error, account_id: accountId, timeline, cached_timeline: cached.timeline }, 'cached answers dropped');
    cache.drop(accountId);
    return false;
  }
}
