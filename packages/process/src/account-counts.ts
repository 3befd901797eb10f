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
