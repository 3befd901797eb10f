/** Sets of attribute options by ordinal, stored in one array. */
export class OptionSets {
  #options: Uint32Array = new Uint32Array(16);
  // Exclusive end index of each set.
  readonly #ends: number[] = [];

  get length(): number {
    return this.#ends.length;
  }

  get bytes(): number {
    return this.#options.byteLength + 8 * this.#ends.length;
  }

  /** Appends a set under the next ordinal. */
  push(optionIds: readonly number[]): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + optionIds.length;
    if (end > this.#options.length) {
      const larger = new Uint32Array(2 * end);
      larger.set(this.#options);
      this.#options = larger;
    }
    this.#options.set(optionIds, start);
    this.#ends.push(end);
  }

  /** Returns, by ordinal, 1 for each set that contains one of these options. */
  holding(optionIds: ReadonlySet<number>): Uint8Array {
    const holds = new Uint8Array(this.length);
    let at = 0;
    for (const [ordinal, end] of this.#ends.entries()) {
      for (; at < end; at += 1) if (optionIds.has(this.#options[at] ?? 0)) holds[ordinal] = 1;
    }
    return holds;
  }
}
