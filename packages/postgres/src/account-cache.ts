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
