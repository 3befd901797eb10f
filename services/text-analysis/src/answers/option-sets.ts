/** Sets of attribute options by ordinal, one behind the other. */
export class OptionSets {
  #options: Uint32Array = new Uint32Array(16);
  // Where each set ends.
  readonly #ends: number[] = [];

  get length(): number {
    return this.#ends.length;
  }

  get bytes(): number {
    return this.#options.byteLength + 8 * this.#ends.length;
  }

  /** Takes the next set. */
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

  /** 1 for each set that holds one of these options, by ordinal. */
  holding(optionIds: ReadonlySet<number>): Uint8Array {
    const holds = new Uint8Array(this.length);
    let at = 0;
    for (const [ordinal, end] of this.#ends.entries()) {
      for (; at < end; at += 1) if (optionIds.has(this.#options[at] ?? 0)) holds[ordinal] = 1;
    }
    return holds;
  }
}
