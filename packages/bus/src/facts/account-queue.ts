/**
 * Queues items of several accounts for workers. Accounts take turns, and one worker at a time
 * processes an account's items.
 */
export class AccountQueue<T extends { readonly size: number }> {
  // In the order of their turns.
  readonly #queued = new Map<number, T[]>();
  readonly #busy = new Set<number>();

  add(accountId: number, item: T): void {
    const items = this.#queued.get(accountId);
    if (items === undefined) this.#queued.set(accountId, [item]);
    else items.push(item);
  }

  /**
   * Returns the next account's oldest items: at least one, otherwise up to `maxSize` in total. No
   * other items of that account are dispatched until `release`. Returns undefined when every
   * account is busy or empty.
   */
  take(maxSize: number): { accountId: number; items: T[] } | undefined {
    for (const [accountId, items] of this.#queued) {
      if (this.#busy.has(accountId)) continue;
      this.#busy.add(accountId);
      this.#queued.delete(accountId);
      const count = countWithin(items, maxSize);
      // Set again after it was deleted, so the account is last in turn.
      if (count < items.length) this.#queued.set(accountId, items.slice(count));
      return { accountId, items: items.slice(0, count) };
    }
    return undefined;
  }

  release(accountId: number): void {
    this.#busy.delete(accountId);
  }

  /** Removes and returns all items that are not dispatched. */
  clear(): T[] {
    const items = [...this.#queued.values()].flat();
    this.#queued.clear();
    return items;
  }
}

function countWithin(items: readonly { readonly size: number }[], maxSize: number): number {
  let size = 0;
  const first = items.findIndex((item) => (size += item.size) > maxSize);
  return first === -1 ? items.length : Math.max(1, first);
}
