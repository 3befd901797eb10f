/** A bit set of respondent ordinals. Merging two sets is a bitwise OR. */
export class RespondentSet {
  readonly bits: Uint32Array;

  /** @param count exclusive upper limit of the ordinals */
  constructor(count: number) {
    this.bits = new Uint32Array((count + 31) >>> 5);
  }

  add(ordinal: number): void {
    this.bits[ordinal >>> 5] = (this.bits[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
  }

  /** Adds sets of bits, four at a time (a third of the time), and sets of ordinals. */
  addEach(sets: readonly (RespondentSet | Uint32Array)[]): void {
    const bits: Uint32Array[] = [];
    for (const set of sets) {
      if (set instanceof RespondentSet) bits.push(set.bits);
      else this.#addOrdinals(set);
    }
    const words = this.bits;
    for (let at = 0; at < bits.length; at += 4) {
      const [a = words, b = words, c = words, d = words] = bits.slice(at, at + 4);
      const shortest = Math.min(a.length, b.length, c.length, d.length);
      for (let word = 0; word < shortest; word += 1)
        words[word] = (words[word] ?? 0) | (a[word] ?? 0) | (b[word] ?? 0) | (c[word] ?? 0) | (d[word] ?? 0);
      for (const longer of [a, b, c, d]) addWords(words, longer, shortest);
    }
  }

  #addOrdinals(ordinals: Uint32Array): void {
    // An index and no call: 4 million ordinals take 9 ms instead of 16.
    const words = this.bits;
    for (let at = 0; at < ordinals.length; at += 1) {
      const ordinal = ordinals[at] ?? 0;
      words[ordinal >>> 5] = (words[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
    }
  }

  get size(): number {
    let size = 0;
    for (const word of this.bits) size += bitsIn(word);
    return size;
  }
}

function addWords(words: Uint32Array, bits: Uint32Array, from: number): void {
  for (let word = from; word < bits.length; word += 1) words[word] = (words[word] ?? 0) | (bits[word] ?? 0);
}

// Population count by parallel addition of pairs, then fours, then bytes.
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55);
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33);
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}
